import { endStates } from '#domain/lifecycle.ts';
import type { HostedBrowser } from '../browsers/host.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { failSession } from './fail-session.ts';
import { closedMeters } from './meters.ts';
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
    if (sandbox.closed || engine.closing.aborted) {
      // The session was stopped while its browser started; or the service ends, and it is found again at the next start.
      await browser.stop();
      return null;
    }
    sandbox.browser = browser;
    sandbox.bookedBytes = 0;
    watchEnd(engine, session.id, browser);
    await openBill(engine, session.id);
    await saveScreenshot(engine, session.id, browser);
    return sandbox.closed ? null : browser;
  } catch (error) {
    engine.log.error({ session: session.id, err: error }, 'sandbox did not start');
    await giveUp(engine, session, runId);
    return null;
  }
}

async function giveUp(engine: EngineState, session: SessionRow, runId: string | undefined): Promise<void> {
  await transition(engine, {
    sessionId: session.id,
    move: { id: session.status === 'created' ? 'sandboxFailed' : 'failure' },
    set: (seen) => ({
      ...closedMeters(engine, seen.session),
      ...(runId === undefined ? {} : { is_task_successful: 0 }),
    }),
    run: { status: 'crashed', reason: 'sandbox did not start' },
  });
  await engine.sandboxes.close(session.id);
}

/** Starts to count the browser's time, unless the session has ended meanwhile: a closed bill is never opened again. */
async function openBill(engine: EngineState, sessionId: string): Promise<void> {
  await engine.db
    .updateTable('sessions')
    .set({ browser_since: engine.clock.now() })
    .where('id', '=', sessionId)
    .where('browser_since', 'is', null)
    .where('status', 'not in', [...endStates(engine.rules.lifecycle, 'session')])
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
