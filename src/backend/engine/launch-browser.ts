import type { HostedBrowser } from '../browsers/host.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { failSession } from './fail-session.ts';
import type { EngineState } from './parts.ts';
import { saveScreenshot } from './screenshots.ts';
import { transition } from './transition.ts';

/** Used when the request names no size. */
const defaultScreen = { width: 1280, height: 800 };

/** Starts the browser of a session that has none; null when it could not start and the session has ended in `error`. */
export async function launchFor(
  engine: EngineState,
  session: SessionRow,
  runId: string | undefined,
): Promise<HostedBrowser | null> {
  const sandbox = engine.sandboxes.ensure(session.id);
  try {
    const browser = await engine.host.launch({
      sessionId: session.id,
      screen: {
        width: session.screen_width ?? defaultScreen.width,
        height: session.screen_height ?? defaultScreen.height,
      },
      proxyCountryCode: session.proxy_country_code,
    });
    if (engine.closing.aborted) {
      // The session stays as it is and is found again at the next start.
      await browser.stop();
      return null;
    }
    sandbox.browser = browser;
    sandbox.bookedBytes = 0;
    await openBill(engine, session.id);
    watchEnd(engine, session.id, browser);
    await saveScreenshot(engine, session.id, browser);
    return browser;
  } catch (error) {
    engine.log.error({ session: session.id, err: error }, 'sandbox did not start');
    await engine.sandboxes.close(session.id);
    const run =
      runId === undefined ? {} : { run: { id: runId, status: 'crashed' as const, reason: 'sandbox did not start' } };
    const id = session.status === 'created' ? 'sandboxFailed' : 'failure';
    await transition(engine, {
      sessionId: session.id,
      move: { id },
      set: runId === undefined ? {} : { is_task_successful: 0 },
      ...run,
    });
    return null;
  }
}

async function openBill(engine: EngineState, sessionId: string): Promise<void> {
  await engine.db
    .updateTable('sessions')
    .set({ browser_since: engine.clock.now() })
    .where('id', '=', sessionId)
    .execute();
}

/** A browser that ends unasked takes its session with it: the task is never run again, its side effects may have happened. */
function watchEnd(engine: EngineState, sessionId: string, browser: HostedBrowser): void {
  engine.inBackground(`watch ${sessionId}`, async () => {
    const end = await browser.ended;
    if (end.expected) return;
    engine.log.error({ session: sessionId, detail: end.detail }, 'browser ended unasked');
    await failSession(engine, sessionId, { reason: end.detail, kind: 'crash' });
  });
}
