import { liveStates } from '#contract/lifecycle.ts';
import { getLimit } from '#contract/rule-book.ts';
import { sessionStatus } from '#generated/states.ts';
import { parseStoredObject } from '#lib/json.ts';
import {
  findMessage,
  insertMessage,
  isPending,
  markTaken,
  type MessageRow,
  type NewMessage,
  pendingMessages,
  waitingSessions,
} from '#store/queries/queue.ts';
import { idleSessions } from '#store/queries/owned-sessions.ts';
import { latestRun } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { interruptRun } from './end-run.ts';
import { followUp, releaseSession } from './follow-up.ts';
import { evictIdleBrowsers } from './inactivity.ts';
import type { EngineState } from './engine-deps.ts';

/**
 * Sends a message to a session. An idle session starts a run with the message at once, a busy session after its current
 * run; `interrupt` cancels the current run. Returns `full` at the limit `queuedMessages` of spec/rules/limits.yaml and
 * `ended` for an ended session; nothing is written then.
 */
export async function send(
  engine: EngineState,
  session: SessionRow,
  { text, interrupt, attachedFileIds: fileIds, onlyOnce = false }: NewMessage,
): Promise<MessageRow | 'full' | 'ended'> {
  const mode = interrupt ? 'interrupt' : 'queue';
  const at = { createdAt: engine.clock.now(), traceParent: engine.tracer.cause() };
  const message = { sessionId: session.id, text, mode, status: 'pending', ...at } as const;
  const pendingMax = getLimit(engine.rules, 'queuedMessages');
  const living = liveStates(engine.rules.lifecycle);
  const written = await insertMessage(engine.db, message, { pendingMax, living, fileIds, onlyOnce });
  if (typeof written === 'string') return written;
  if (interrupt) {
    const { id: sessionId } = session;
    await engine.owners.perform({ op: 'cut', sessionId, messageId: written.id }, async () => {
      await interruptRun(engine, sessionId, written.id);
      return {};
    });
  }
  await dispatchNext(engine, session.id);
  return (await findMessage(engine.db, session.id, written.id)) ?? written;
}

/**
 * Dispatches the next message of an idle session, then messages of the project's other sessions that waited for a free
 * slot.
 */
export async function dispatchNext(engine: EngineState, sessionId: string): Promise<void> {
  await nextRun(engine, sessionId);
  const { projectId } = await sessionById(engine.db, sessionId);
  for (const id of await waitingSessions(engine.db, projectId)) await nextRun(engine, id);
}

/** Dispatches queued messages of the idle sessions of this process and of unowned idle sessions. */
export async function dispatchOwnSessions(engine: EngineState): Promise<void> {
  for (const id of await waitingSessions(engine.db, null))
    if (!engine.owners.isElsewhere(await sessionById(engine.db, id))) await nextRun(engine, id);
}

/**
 * Dispatches the next message of an idle resumable session; a message of mode `interrupt` goes before all others.
 * Without a pending message, limits the idle browsers of this process. Does nothing for any other session.
 */
async function nextRun(engine: EngineState, sessionId: string): Promise<void> {
  while (!engine.closing.aborted) {
    const session = await sessionById(engine.db, sessionId);
    if (session.resumable === 0 || session.status !== sessionStatus.idle) return;
    const messages = await pendingMessages(engine.db, sessionId);
    const message = messages.find(({ mode }) => mode === 'interrupt') ?? messages[0];
    if (message === undefined) return evictIdleBrowsers(engine);
    const taken = await take(engine, session, message);
    // Without a free slot the message waits until another session of the project ends its run.
    if (taken !== 'lost') return;
  }
}

/**
 * Dispatches a message with model, model parameters and cost limit of the previous run. `noRoom`: the project has no
 * free slot. `lost`: the message was cancelled, or the session is not idle any more.
 */
async function take(
  engine: EngineState,
  session: SessionRow,
  message: MessageRow,
): Promise<'taken' | 'noRoom' | 'lost'> {
  const { run: before } = await latestRun(engine.db, session);
  const dispatched = await followUp(engine, session, {
    task: message.text,
    model: before.model ?? session.model,
    modelParams: parseStoredObject(before.modelParams),
    runCostMicros: before.maxCostMicros,
    settings: {},
    traceParent: message.traceParent,
    provided: (trx) => isPending(trx, message.id),
    also: (trx, runId) => markTaken(trx, message.id, runId),
  });
  if (dispatched === null) return 'lost';
  return 'tooMany' in dispatched ? 'noRoom' : 'taken';
}

/**
 * Releases every idle session of this process; a busy session is released when it becomes idle. Does nothing in a
 * single-process service.
 */
export async function releaseIdleSessions(engine: EngineState): Promise<void> {
  const { self } = engine.owners;
  if (self === null) return;
  const ids = await idleSessions(engine.db, self);
  await Promise.all(ids.map((id) => releaseSession(engine, id)));
}
