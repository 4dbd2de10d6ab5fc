import { isTerminal, findTransition, type TransitionQuery, type Worker } from '#contract/lifecycle.ts';
import { type RunState, runState, type SessionStatus } from '#generated/states.ts';
import type { JsonObject } from '#lib/json.ts';
import { addEvent } from '#store/queries/inserts.ts';
import { deleteMails } from '#store/queries/mails.ts';
import { changeActiveRuns, endOfRun } from '#store/queries/runs.ts';
import { changeSession, sessionIn } from '#store/queries/sessions.ts';
import type { RunUpdate } from '#store/tables/runs.ts';
import type { SessionRow, SessionUpdate } from '#store/tables/sessions.ts';
import { inTransaction, type Transaction, type TransactionHow } from '#store/transaction.ts';
import type { EngineState } from './engine-deps.ts';

/** State of a session on which a change is decided, read inside the transaction. */
export interface Seen {
  readonly session: SessionRow;
  /** Whether the `run` of the change has changed a waiting or running task. */
  readonly hadRun: boolean;
}

/**
 * Change of the tasks of a session. With an id, that task must be queued or running, or nothing is written; without an
 * id, all queued and running tasks change.
 */
export interface RunChange {
  readonly id?: string;
  readonly status: RunState;
  readonly reason?: string;
  /** Result of the task as JSON text. @defaultValue null, no result */
  readonly output?: string | null;
  /**
   * Producer of the result: a model, the offline planner, a simulation or a script (`answeredBy`). @defaultValue
   * unchanged
   */
  readonly worker?: Worker;
  /** Further tasks that the model suggests, as JSON. @defaultValue none */
  readonly suggestions?: string;
  /** Returns proxy traffic since the last step, in bytes; called when the change is written. */
  readonly bytes?: () => number;
}

/**
 * One state change of a session. `Also` is the result of `also`, `Refusal` the reason that `provided` returns. A
 * retried transaction calls the functions again.
 */
export interface Change<Also = void, Refusal = never> {
  readonly sessionId: string;
  /** Selects the transition of spec/rules/lifecycle.yaml by id, condition and previous state. */
  readonly move: TransitionQuery;
  /** A further condition on the current row of the session, checked inside the transaction. */
  readonly onlyIf?: (session: SessionRow) => boolean;
  /**
   * Further columns to write. A function receives the current row of the session, which is read inside the transaction.
   */
  readonly set?: SessionUpdate | ((seen: Seen) => SessionUpdate);
  readonly run?: RunChange;
  /** A condition that reads the database. When it returns false or a reason, nothing is written. */
  readonly provided?: (trx: Transaction) => Promise<boolean | Refusal>;
  /** Id of the run that this change adds in `also`; the event of the change contains it. */
  readonly newRunId?: string;
  readonly data?: JsonObject;
  /**
   * Further ids that the transaction locks for `provided` and `also`; `everything` when these ids cannot be named.
   * @defaultValue none
   */
  readonly alsoScope?: readonly string[] | 'everything';
  /** Further writes in the same transaction. Receives the ids of the runs that `run` has changed. */
  readonly also?: (trx: Transaction, runs: readonly string[]) => Promise<Also>;
  /**
   * Whether the session may belong to another process.
   * @defaultValue false: a worker that lost ownership of a session must not write to it
   */
  readonly evenElsewhere?: boolean;
}

/** Result of a state change that was written. */
export interface Moved<Also> {
  readonly also: Also | undefined;
}

/** Result of a state change that was not written: the session was in another state, or a condition did not hold. */
export interface NotMoved<Refusal> {
  /** Reason that `provided` returned; null for every other cause. */
  readonly refusal: Refusal | null;
}

/** Writes a state change and its event in one transaction. Returns null when nothing was written. */
export async function transition<Also>(engine: EngineState, change: Change<Also>): Promise<Moved<Also> | null> {
  const done = await tryTransition(engine, change);
  return 'refusal' in done ? null : done;
}

/**
 * Writes a state change and its event in one transaction. When nothing was written, returns the refusal of `provided`
 * or null.
 */
export async function tryTransition<Also, Refusal>(
  engine: EngineState,
  change: Change<Also, Refusal>,
): Promise<Moved<Also> | NotMoved<Refusal>> {
  const move = findTransition(engine.rules.lifecycle, change.move);
  const hasEnded = isTerminal(engine.rules.lifecycle, move.to);
  const forgotten = hasEnded ? { customProxy: null } : {};
  const done = await inTransaction(
    engine.db,
    async (trx, attempt) => {
      attempt.onFailure(engine.sandboxes.holdBooked(change.sessionId));
      const left = await leaving(trx, engine, { change, from: move.from });
      if ('refusal' in left) return left;
      const { session } = left;
      // The time is read under the lock. It is never before `updatedAt`, which another process may have written by its
      // own clock, so that no end comes before its beginning.
      const now = Math.max(engine.clock.now(), session.updatedAt);
      const runs = change.run === undefined ? [] : await changeRuns(trx, change.run, { sessionId: session.id, now });
      if (change.run?.id !== undefined && runs.length === 0) return { refusal: null };
      const set = typeof change.set === 'function' ? change.set({ session, hadRun: runs.length > 0 }) : change.set;
      const moved = { status: move.to, updatedAt: now, activeAt: now };
      await changeSession(trx, { ...set, ...forgotten, ...moved, id: change.sessionId });
      // Mails of an ended session are not readable any more.
      if (hasEnded) await deleteMails(trx, change.sessionId);
      const also = await change.also?.(trx, runs);
      const event = { sessionId: change.sessionId, runId: change.newRunId ?? runs[0] ?? null, createdAt: now };
      const type = `session.${change.move.id}`;
      await addEvent(trx, { ...event, type, data: JSON.stringify(change.data ?? {}) });
      return { now, also };
    },
    lockedBy(change),
  );
  if ('refusal' in done) return done;
  engine.log.info({ session: change.sessionId, move: change.move.id, to: move.to }, 'session moved');
  engine.moves.emit(change.sessionId);
  await engine.rearmInactivity(done.now);
  return { also: done.also };
}

function lockedBy({ sessionId, alsoScope = [] }: Pick<Change, 'sessionId' | 'alsoScope'>): TransactionHow {
  return { of: alsoScope === 'everything' ? alsoScope : [sessionId, ...alsoScope] };
}

/** Returns whether this process may change the session: a worker that lost ownership must not write to it. */
function mayChange(
  { owners }: EngineState,
  { evenElsewhere = false }: Pick<Change, 'evenElsewhere'>,
  session: SessionRow,
): boolean {
  return evenElsewhere || !owners.isElsewhere(session);
}

/** Returns the session if its state is in `from` and all conditions hold, else the refusal of `provided` or null. */
async function leaving<Also, Refusal>(
  trx: Transaction,
  engine: EngineState,
  { change, from }: { readonly change: Change<Also, Refusal>; readonly from: readonly SessionStatus[] },
): Promise<{ readonly session: SessionRow } | NotMoved<Refusal>> {
  const { sessionId, onlyIf, provided } = change;
  const session = await sessionIn(trx, sessionId);
  if (
    session === undefined ||
    !from.includes(session.status) ||
    !mayChange(engine, change, session) ||
    onlyIf?.(session) === false
  )
    return { refusal: null };
  const provision = provided === undefined || (await provided(trx));
  if (provision === true) return { session };
  return { refusal: provision === false ? null : provision };
}

/**
 * Writes the change to all active runs of a session, or only to the run with the id of the change. Returns the ids of
 * the changed runs.
 */
function changeRuns(
  trx: Transaction,
  run: RunChange,
  { sessionId, now }: { readonly sessionId: string; readonly now: number },
): Promise<string[]> {
  const bytes = (): number => run.bytes?.() ?? 0;
  return changeActiveRuns(trx, { sessionId, runId: run.id, set: runColumns(run, now), bytes });
}

function runColumns(run: RunChange, now: number): RunUpdate {
  const { status, reason = null } = run;
  if (status === runState.queued || status === runState.dispatching || status === runState.running)
    return { status, reason, startedAt: now };
  const verdict = { succeeded: 1, failed: 0, crashed: 0, cancelled: null } as const;
  // Secrets are not needed any more and are erased in the same write.
  const { output = null, suggestions = null } = run;
  const ended = { endedAt: now, success: verdict[status], output, suggestions, secrets: null };
  return { status, reason, ...ended, ...(run.worker === undefined ? {} : { answeredBy: run.worker }) };
}

/** An event of a run; `type` is from spec/rules/run-events.yaml, `data` contains no secret. */
export interface RunNote {
  readonly sessionId: string;
  readonly runId: string;
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Inserts an event of a run, within the transaction of the change that it reports. Returns false, without a write, when
 * the run has ended meanwhile.
 */
export async function noteEvent(trx: Transaction, note: RunNote, now: number): Promise<boolean> {
  const { sessionId, runId, type, data } = note;
  if ((await endOfRun(trx, runId)) !== null) return false;
  const event = { sessionId, runId, type, data: JSON.stringify(data), createdAt: now };
  await addEvent(trx, event);
  return true;
}
