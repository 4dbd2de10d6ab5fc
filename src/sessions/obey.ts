import type { SessionCommand } from '#cluster/index.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { type SessionRow } from '#store/schema.ts';
import { executeRun } from './execute-run.ts';
import { failSession } from './fail-session.ts';
import { handOver } from './hand-over.ts';
import type { EngineState } from './parts.ts';
import { purgeSession } from './purge-session.ts';
import { cutRun } from './cut-run.ts';
import { startSandbox } from './start-sandbox.ts';
import { deleteSession, stopSession, stopTask } from './stop-session.ts';
import { endStates } from '#contract/lifecycle.ts';
import { releaseLease } from '#store/queries/profiles.ts';
import { inTransaction } from '#store/transaction.ts';
import { letGo } from './linger.ts';

/** Does in this process what a session's owner has to do; settles when it is done, of a start or a task when it has begun. */
export async function obey(engine: EngineState, command: SessionCommand): Promise<void> {
  const { sessionId } = command;
  switch (command.op) {
    case 'start':
      if (command.runProxy !== null) engine.sandboxes.ensure(sessionId).runProxy = command.runProxy;
      return engine.inBackground(`start ${sessionId}`, () => startSandbox(engine, sessionId));
    case 'run':
      return beginRun(engine, command);
    case 'handOver':
      return handOver(engine, sessionId);
    case 'yieldSession':
      return yieldProfile(engine, sessionId);
    case 'cut':
      return cutRun(engine, sessionId, command.messageId);
    case 'crash':
      return failSession(engine, sessionId, { reason: 'injected fault', kind: 'crash' });
    case 'stop':
    case 'stopRun':
    case 'remove':
    case 'purge':
      return endAsAsked(engine, command, await sessionById(engine.db, sessionId));
  }
}

/** The commands that end a task, a session, or more. */
export type Ending = Extract<SessionCommand, { op: 'stop' | 'stopRun' | 'remove' | 'purge' }>;

/** Ends in this process what its owner is asked to; nothing is awaited before it is decided, so that what is asked for first comes first. */
export async function endAsAsked(engine: EngineState, command: Ending, session: SessionRow): Promise<void> {
  switch (command.op) {
    case 'stop':
      await (command.strategy === 'task' ? stopTask(engine, session) : stopSession(engine, session));
      return;
    case 'stopRun':
      await stopTask(engine, session, { runId: command.runId });
      return;
    case 'remove':
      return deleteSession(engine, session);
    case 'purge':
      return purgeSession(engine, session);
  }
}

/** A task is worked on once, however often this process is told to. */
function beginRun(engine: EngineState, { sessionId, runId, runProxy }: Extract<SessionCommand, { op: 'run' }>): void {
  if (engine.begun.has(runId)) return;
  engine.sandboxes.ensure(sessionId).runProxy = runProxy;
  engine.inBackground(`run ${runId}`, async () => {
    const run = await engine.db
      .selectFrom('runs')
      .select(['id', 'task', 'trace_parent'])
      .where('id', '=', runId)
      .executeTakeFirst();
    // A second telling can have come while the first was looked up.
    if (run !== undefined && !engine.begun.has(runId)) await executeRun(engine, sessionId, run);
  });
}

/**
 * Gives back the profile of a session that somebody else wants: a browser that only lingers for a possible next run goes, and one
 * that is on its way out is waited for. A session that works, or is kept alive because its owner asked for that, keeps its profile.
 */
async function yieldProfile(engine: EngineState, sessionId: string): Promise<void> {
  await letGo(engine, sessionId, { usedBefore: engine.clock.now() });
  await releaseUnused(engine, sessionId);
  await engine.sandboxes.gone(sessionId);
}

/** What no browser of the session uses: nobody starts one for an ended session, nor for a resumable one before its next run. */
async function releaseUnused(engine: EngineState, sessionId: string): Promise<void> {
  const ended = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .select(['status', 'resumable'])
        .where('id', '=', sessionId)
        .executeTakeFirst();
      if (session === undefined) return false;
      // Inside the transaction: a run that is dispatched after it takes the profile again.
      if (isIdleWithoutBrowser(engine, sessionId, session)) await releaseLease(trx, sessionId);
      return endStates(engine.rules.lifecycle, 'session').includes(session.status);
    },
    { of: [sessionId] },
  );
  // Whoever ended it gives its sandbox up a moment later.
  if (ended) await engine.sandboxes.close(sessionId);
}

function isIdleWithoutBrowser(
  { sandboxes }: EngineState,
  sessionId: string,
  { status, resumable }: Pick<SessionRow, 'status' | 'resumable'>,
): boolean {
  const sandbox = sandboxes.get(sessionId);
  const isUsed = sandbox !== undefined && (sandbox.browser !== undefined || sandbox.launching !== undefined);
  return status === 'idle' && resumable === 1 && !isUsed && !sandboxes.isLeaving(sessionId);
}
