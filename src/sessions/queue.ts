import { liveStates } from '#contract/lifecycle.ts';
import { limitOf } from '#contract/rule-book.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
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
import { latestRun } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/schema.ts';
import { cutRun } from './end-run.ts';
import { followUp, handOver } from './follow-up.ts';
import { letGoOfTooMany } from './inactivity.ts';
import type { EngineState } from './parts.ts';

/**
 * Hands a message to a session: an idle one takes it at once, a busy one when its run has ended, and with `interrupt` its run
 * is cancelled for it. `full` when as many wait as may (spec/rules/limits.yaml, queuedMessages), `ended` when the session
 * takes none any more; then nothing was written.
 */
export async function send(
  engine: EngineState,
  session: SessionRow,
  { text, interrupt, attachedFileIds: fileIds, onlyOnce = false }: NewMessage,
): Promise<MessageRow | 'full' | 'ended'> {
  const mode = interrupt ? 'interrupt' : 'queue';
  const at = { created_at: engine.clock.now(), trace_parent: engine.tracer.cause() };
  const message = { session_id: session.id, text, mode, status: 'pending', ...at } as const;
  const pendingMax = limitOf(engine.rules, 'queuedMessages');
  const living = liveStates(engine.rules.lifecycle, 'session');
  const written = await insertMessage(engine.db, message, { pendingMax, living, fileIds, onlyOnce });
  if (typeof written === 'string') return written;
  if (interrupt) {
    const { id: sessionId } = session;
    await engine.owners.perform({ op: 'cut', sessionId, messageId: written.id }, async () => {
      await cutRun(engine, sessionId, written.id);
      return {};
    });
  }
  await goOn(engine, session.id);
  return (await findMessage(engine.db, session.id, written.id)) ?? written;
}

/** Lets an idle session take the message that is next, and then others of its project whose messages waited for room. */
export async function goOn(engine: EngineState, sessionId: string): Promise<void> {
  await nextRun(engine, sessionId);
  const { project_id: projectId } = await sessionById(engine.db, sessionId);
  for (const id of await waitingSessions(engine.db, projectId)) await nextRun(engine, id);
}

/** Lets the idle sessions of this process, and those without an owner, take the messages that wait for them. */
export async function goOnWithOwn(engine: EngineState): Promise<void> {
  for (const id of await waitingSessions(engine.db, null))
    if (!engine.owners.isElsewhere(await sessionById(engine.db, id))) await nextRun(engine, id);
}

/** Lets an idle session take the message that is next; without one its browser lingers. Without effect on any other session. */
async function nextRun(engine: EngineState, sessionId: string): Promise<void> {
  while (!engine.closing.aborted) {
    const session = await sessionById(engine.db, sessionId);
    if (session.resumable === 0 || session.status !== 'idle') return;
    const messages = await pendingMessages(engine.db, sessionId);
    const message = messages.find(({ mode }) => mode === 'interrupt') ?? messages[0];
    if (message === undefined) return letGoOfTooMany(engine);
    const taken = await take(engine, session, message);
    // Without room it waits until another session of the project has ended its run.
    if (taken !== 'lost') return;
  }
}

/** A message runs on the model of the run before it, with its controls and its ceiling. `lost`: it was taken back, or the session taken, meanwhile. */
async function take(
  engine: EngineState,
  session: SessionRow,
  message: MessageRow,
): Promise<'taken' | 'noRoom' | 'lost'> {
  const { run: before } = await latestRun(engine.db, session);
  const dispatched = await followUp(engine, session, {
    task: message.text,
    model: before.model ?? session.model,
    modelParams: objectOf(before.model_params),
    runCostMicros: before.max_cost_micros,
    settings: {},
    traceParent: message.trace_parent,
    provided: (trx) => isPending(trx, message.id),
    also: (trx, runId) => markTaken(trx, message.id, runId),
  });
  if (dispatched === null) return 'lost';
  return 'tooMany' in dispatched ? 'noRoom' : 'taken';
}

function objectOf(text: string | null): JsonObject | null {
  const value: JsonValue = text === null ? null : JSON.parse(text);
  return isJsonObject(value) ? value : null;
}

/** Gives up every idle session of this process; those that work follow when they are idle. */
export async function handOverIdle(engine: EngineState): Promise<void> {
  const { self } = engine.owners;
  if (self === null) return;
  const rows = await engine.db
    .selectFrom('sessions')
    .select('id')
    .where('owner', '=', self)
    .where('status', '=', 'idle')
    .execute();
  await Promise.all(rows.map(({ id }) => handOver(engine, id)));
}
