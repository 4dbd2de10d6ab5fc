import { runState, sessionStatus } from '#generated/states.ts';
import { endStates } from '#contract/lifecycle.ts';
import { TabError } from '#browsers/tab/tab.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { defaultScreen } from '#contract/screen.ts';
import { downloadBounds } from '#browsers/downloads/downloads.ts';
import { ProfileInUse } from '#accounts/browser-profiles.ts';
import { openMeter, sessionById } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { newBlobKey } from '#store/blobs/blobs.ts';
import { markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { inTransaction } from '#store/transaction.ts';
import { failSession } from './fail-session.ts';
import { closedMeters } from './meters.ts';
import { noteEvent, transition } from './transition.ts';
import type { EngineState } from './engine-deps.ts';
import { endSessionRecording, recordSessionBrowser } from './record-session.ts';
import type { Sandbox } from './sandboxes.ts';
import { saveFirstPicture } from './screenshots.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { openRuns } from '#store/queries/runs.ts';
import { openProxy, parseRunSettings } from './run-settings.ts';

/**
 * Returns the browser of a session, starting it if needed; concurrent callers share one start. Returns null after a
 * failed start, which is recorded, and when the session releases its sandbox or the service closes during the start.
 */
export function openSessionBrowser(engine: EngineState, session: SessionRow): Promise<HostedBrowser | null> {
  const sandbox = engine.sandboxes.ensure(session.id);
  // A running browser may still be opening its start page.
  if (sandbox.launching !== undefined) return sandbox.launching;
  if (sandbox.browser !== undefined) return Promise.resolve(sandbox.browser);
  sandbox.launching = launch(engine, session, sandbox).finally(() => {
    sandbox.launching = undefined;
  });
  return sandbox.launching;
}

async function launch(engine: EngineState, session: SessionRow, sandbox: Sandbox): Promise<HostedBrowser | null> {
  try {
    // The previous browser may still be using its folder.
    await engine.sandboxes.gone(session.id);
    const customProxy = await readCustomProxy(engine, session, sandbox);
    const profile = await engine.browserProfiles.open(session.id, session.profileId);
    const browser = await engine.host.launch({
      sessionId: session.id,
      screen: {
        width: session.screenWidth ?? defaultScreen.width,
        height: session.screenHeight ?? defaultScreen.height,
      },
      proxyCountryCode: session.proxyCountryCode,
      customProxy,
      profile,
      downloads: downloadBounds(engine.rules),
      signal: sandbox.givenUp.signal,
    });
    if (sandbox.closed || engine.closing.aborted) {
      // The session was stopped while its browser started; or the service is closing and recovers the session at the
      // next start.
      await browser.stop();
      return null;
    }
    sandbox.browser = browser;
    sandbox.bookedBytes = 0;
    watchEnd(engine, session.id, browser);
    recordSessionBrowser(engine, session, { browser, sandbox });
    const picture = newBlobKey('jpg');
    await openBill(engine, session.id, { sandbox, picture });
    // A resumable session may have become idle meanwhile; its browser is now subject to idle eviction.
    if (session.resumable === 1) await engine.rearmInactivity();
    await openStartPage(engine, session, browser);
    await saveFirstPicture(engine, session.id, { browser, sandbox, key: picture });
    return sandbox.closed ? null : browser;
  } catch (error) {
    // The code that closed the sandbox has recorded why. A closing service recovers the session at the next start.
    if (sandbox.closed || engine.closing.aborted) return null;
    engine.log.error({ session: session.id, err: error }, 'sandbox did not start');
    await giveUpSandbox(engine, session.id, error instanceof ProfileInUse ? error.message : 'sandbox did not start');
    return null;
  }
}

/** Opens the start page. A failure is visible to the client and does not fail the sandbox. */
async function openStartPage(engine: EngineState, session: SessionRow, browser: HostedBrowser): Promise<void> {
  if (session.startUrl === null) return;
  try {
    await (await browser.tab()).open(session.startUrl);
  } catch (error) {
    if (!(error instanceof TabError)) throw error;
    engine.log.info({ session: session.id, err: error }, 'the start page did not open');
  }
}

/**
 * Records the event `browser.ready`: from then on clients can watch the run's browser. Does nothing for a run that has
 * ended.
 */
export async function announceBrowser(engine: EngineState, sessionId: string, runId: string): Promise<void> {
  const note = { sessionId, runId, type: 'browser.ready', data: {} };
  await inTransaction(engine.db, (trx) => noteEvent(trx, note, engine.clock.now()), { of: [sessionId] });
}

/** Ends a session whose sandbox does not start, and its task as crashed; a resumable session becomes idle. */
export async function giveUpSandbox(engine: EngineState, id: string, reason: string): Promise<void> {
  const session = await sessionById(engine.db, id);
  await transition(engine, {
    sessionId: id,
    move: { id: chooseFailure(session) },
    set: (seen) => ({
      ...closedMeters(engine, seen.session),
      ...(seen.hadRun ? { isTaskSuccessful: 0 } : {}),
    }),
    run: { status: runState.crashed, reason },
  });
  await engine.sandboxes.close(id);
  await engine.goOn(id);
}

/**
 * Returns the id of the transition for a session whose sandbox does not start: to an end state, or to idle for a
 * resumable session.
 */
function chooseFailure({ status, resumable }: SessionRow): string {
  if (status === sessionStatus.created) return resumable === 1 ? 'failStart' : 'sandboxFailed';
  return resumable === 1 ? 'failRun' : 'failure';
}

/**
 * Starts billing of the browser's time, unless the session has ended or released the sandbox. Closing a sandbox closes
 * its bill in the same transaction, so a closed bill is never reopened. The key of the first screenshot is recorded
 * before its bytes are written.
 */
async function openBill(
  engine: EngineState,
  sessionId: string,
  { sandbox, picture }: { readonly sandbox: Sandbox; readonly picture: string },
): Promise<void> {
  await inTransaction(
    engine.db,
    async (trx) => {
      await markUnreferenced(trx, picture, engine.clock.now());
      if (sandbox.closed) return;
      const ended = endStates(engine.rules.lifecycle);
      await openMeter(trx, { id: sessionId, since: engine.clock.now() }, ended);
    },
    { of: [sessionId, picture] },
  );
}

/**
 * Fails the session when its browser ends unexpectedly. The task is never retried, because its side effects may have
 * happened. At each end of the browser, ends the recording of a session that has ended.
 */
function watchEnd(engine: EngineState, sessionId: string, browser: HostedBrowser): void {
  engine.inBackground(`watch ${sessionId}`, async () => {
    // Before the clean-up: a new task must not get a browser that does not respond.
    const { expected, detail } = await browser.died;
    if (!expected) {
      engine.log.error({ session: sessionId, detail }, 'browser ended unasked');
      // The session may already have released this browser and use another browser.
      const isItsOwn = (): boolean => engine.sandboxes.get(sessionId)?.browser === browser;
      await failSession(engine, sessionId, { reason: detail, kind: 'crash', onlyIf: isItsOwn });
    }
    await endSessionRecording(engine, sessionId);
  });
}

/**
 * Returns the custom proxy for the session's next browser, or null. Throws when the run's proxy was lost with an
 * earlier process: a run never continues without its requested proxy.
 */
async function readCustomProxy(
  { db, vault }: Pick<EngineState, 'db' | 'vault'>,
  session: SessionRow,
  sandbox: Sandbox,
): Promise<CustomProxy | null> {
  if (sandbox.runProxy !== null) return sandbox.runProxy;
  if ((await openRuns(db, session.id)).some((run) => parseRunSettings(run).usesCustomProxy === true))
    throw new Error('the custom proxy of the run went with the process that was given it');
  return openProxy(vault, session.id, session.customProxy);
}
