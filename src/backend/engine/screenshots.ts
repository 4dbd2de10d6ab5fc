import type { HostedBrowser } from '../browsers/host.ts';
import type { EngineState } from './parts.ts';

/** Stores a picture of the browser and makes it the session's latest; answers its key, or null when none could be taken. */
export async function saveScreenshot(
  engine: EngineState,
  sessionId: string,
  browser: HostedBrowser,
): Promise<string | null> {
  const bytes = await pictureOf(engine, sessionId, browser);
  if (bytes === null) return null;
  const key = await engine.blobs.put(bytes, 'jpg');
  await engine.db.updateTable('sessions').set({ screenshot_key: key }).where('id', '=', sessionId).execute();
  return key;
}

/** A page that blocks its own picture (a dialog, an endless script) costs the picture, not the task. */
async function pictureOf(engine: EngineState, sessionId: string, browser: HostedBrowser): Promise<Uint8Array | null> {
  try {
    return await browser.screenshot();
  } catch (error) {
    const ended = engine.sandboxes.get(sessionId)?.browser !== browser;
    engine.log[ended ? 'debug' : 'warn']({ session: sessionId, err: error }, 'no screenshot');
    return null;
  }
}
