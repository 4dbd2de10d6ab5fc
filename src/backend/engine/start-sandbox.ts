import type { HostedBrowser } from '../browsers/host.ts';
import { type SessionRow, sessionById } from '../storage/sessions.ts';
import { beginQueuedRun } from './begin-run.ts';
import type { EngineState } from './parts.ts';
import { saveScreenshot } from './screenshots.ts';
import { transition } from './transition.ts';

const defaultScreen = { width: 1280, height: 800 };

/** Brings a created session to life: browser first, then its waiting task, else idle. A failed start ends in `error`. */
export async function startSandbox(engine: EngineState, sessionId: string): Promise<void> {
  const session = await sessionById(engine.db, sessionId);
  if (session.status !== 'created') return;
  const run = await queuedRun(engine, sessionId);
  const browser = await launchFor(engine, session, run?.id);
  if (browser === null) return;
  if (run !== undefined) {
    await beginQueuedRun(engine, session, run);
    return;
  }
  const moved = await transition(engine, { sessionId, move: { id: 'sandboxReady' } });
  if (moved === null) await engine.sandboxes.close(sessionId);
}

function queuedRun(engine: EngineState, sessionId: string): Promise<{ id: string; task: string } | undefined> {
  return engine.db
    .selectFrom('runs')
    .select(['id', 'task'])
    .where('session_id', '=', sessionId)
    .where('status', '=', 'queued')
    .orderBy('created_at')
    .executeTakeFirst();
}

/** Starts the browser of a session that has none; null when it could not start and the session has ended in `error`. */
export async function launchFor(engine: EngineState, session: SessionRow, runId: string | undefined): Promise<HostedBrowser | null> {
  const sandbox = engine.sandboxes.ensure(session.id);
  try {
    const browser = await engine.host.launch({
      sessionId: session.id,
      screen: { width: session.screen_width ?? defaultScreen.width, height: session.screen_height ?? defaultScreen.height },
      proxyCountryCode: session.proxy_country_code,
    });
    sandbox.browser = browser;
    sandbox.bookedBytes = 0;
    await openBill(engine, session.id);
    watchEnd(engine, session.id, browser);
    await saveScreenshot(engine, session.id, browser);
    return browser;
  } catch (error) {
    engine.log.error({ session: session.id, err: error }, 'sandbox did not start');
    await engine.sandboxes.close(session.id);
    const run = runId === undefined ? {} : { run: { id: runId, status: 'crashed' as const, reason: 'sandbox did not start' } };
    const id = session.status === 'created' ? 'sandboxFailed' : 'failure';
    await transition(engine, { sessionId: session.id, move: { id }, set: runId === undefined ? {} : { is_task_successful: 0 }, ...run });
    return null;
  }
}

async function openBill(engine: EngineState, sessionId: string): Promise<void> {
  await engine.db.updateTable('sessions').set({ browser_since: engine.clock.now() }).where('id', '=', sessionId).execute();
}

/** A browser that ends unasked takes its session with it: the task is never run again, its side effects may have happened. */
function watchEnd(engine: EngineState, sessionId: string, browser: HostedBrowser): void {
  engine.inBackground(`watch ${sessionId}`, async () => {
    const end = await browser.ended;
    if (end.expected) return;
    engine.log.error({ session: sessionId, detail: end.detail }, 'browser ended unasked');
    const { failSession } = await import('./fail-session.ts');
    await failSession(engine, sessionId, end.detail);
  });
}
