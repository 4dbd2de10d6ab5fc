import { Readable } from 'node:stream';
import { newBlobKey } from '../storage/blob-key.ts';
import { inTransaction } from '../storage/in-transaction.ts';
import { markLoose } from '../storage/loose-blobs.ts';
import { givePicture } from '../storage/pictures.ts';
import { discardBlobs } from '../workspaces/index.ts';
import type { HostedBrowser } from '../browsers/host.ts';
import type { EngineState } from './parts.ts';
import type { Sandbox } from './sandboxes.ts';

/** What a picture is taken of. */
interface Pictured {
  readonly browser: HostedBrowser;
  readonly sandbox: Sandbox;
}

/** Stores a picture of the browser and makes it the session's latest, where {@link storePicture} takes one. */
export async function saveScreenshot(engine: EngineState, sessionId: string, pictured: Pictured): Promise<void> {
  const key = await storePicture(engine, sessionId, pictured);
  // Not given: the session was purged meanwhile.
  if (key !== null && !(await givePicture(engine.db, sessionId, key))) await discardBlobs(engine, [key]);
}

/**
 * Stores a picture of the browser, which belongs to nobody until it is given to the session; answers its key, or null when none
 * could be taken, or a secret was typed into the browser before it was: the pages may show it.
 */
export async function storePicture(
  engine: EngineState,
  sessionId: string,
  { browser, sandbox }: Pictured,
): Promise<string | null> {
  if (sandbox.hasTyped) return null;
  const bytes = await pictureOf(engine, sessionId, browser);
  // Another task of the browser may have typed one meanwhile.
  if (bytes === null || sandbox.hasTyped) return null;
  const key = newBlobKey('jpg');
  // As a transaction, which waits for the disk together with others.
  await inTransaction(engine.db, (trx) => markLoose(trx, key, engine.clock.now()), { of: [key] });
  await engine.blobs.write(key, { bytes: Readable.from([bytes]), size: bytes.length });
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
