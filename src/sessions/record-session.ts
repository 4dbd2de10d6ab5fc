import { isTerminal } from '#contract/lifecycle.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import type { RecordingInProgress } from './recordings/index.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from './engine-deps.ts';
import type { Sandbox } from './sandboxes.ts';

/** A session's browser and the sandbox of this browser. */
interface Shown {
  readonly browser: HostedBrowser;
  readonly sandbox: Sandbox;
}

/**
 * Returns whether each completed task of a session has its own recording, as in V3. In V2 and V4, a recording shows a
 * browser.
 */
const isByTask = ({ generation }: SessionRow): boolean => generation === 'v3';

/** Records a browser from its start, if the session requests recordings and is not a V3 session. */
export function recordSessionBrowser(engine: EngineState, session: SessionRow, { browser, sandbox }: Shown): void {
  if (session.enableRecording === 0 || isByTask(session)) return;
  // A resumable session has one recording per browser; any other session has a single recording.
  const goesOn = session.resumable === 0;
  engine.recordings.record({ ownerId: session.id, browser, goesOn, mayShow: () => !sandbox.hasTyped });
}

/** Records a browser during a run of a V3 session that requests recordings; returns null for any other session. */
export function recordSessionTask(
  engine: EngineState,
  session: SessionRow,
  { runId, browser, sandbox }: Shown & { readonly runId: string },
): RecordingInProgress | null {
  if (session.enableRecording === 0 || !isByTask(session)) return null;
  const mayShow = (): boolean => !sandbox.hasTyped;
  return engine.recordings.record({ ownerId: session.id, runId, browser, goesOn: false, mayShow });
}

/**
 * Ends the recording of a session that has ended, because no further browser follows. Does nothing for a living
 * session.
 */
export async function endSessionRecording(engine: EngineState, sessionId: string): Promise<void> {
  const session = await sessionById(engine.db, sessionId);
  const hasEnded = isTerminal(engine.rules.lifecycle, session.status);
  if (hasEnded && session.enableRecording === 1) await engine.recordings.end(sessionId);
}
