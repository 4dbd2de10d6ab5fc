import { type JsonObject, textOf } from '../../core/json.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  createSession,
  endStates,
  fetchSession,
  hasEnded,
  type Observation,
  poll,
  runFollowUp,
  runTask,
  type SessionObservation,
  type TaskObservation,
} from '../../common/observed-session.ts';
import { openAddress } from '../../common/session-share.ts';

/** A session with keepAlive for further tasks, stopped when it is idle. */
export interface KeptSession {
  /** The first task, with level high. */
  first: SessionObservation;
  /** Follow-ups in order: level omitted, disabled, omitted, null, high. Shorter if a follow-up was refused. */
  followUps: TaskObservation[];
  /** Follow-ups with a level that the session's model does not support; empty without a follow-up operation. */
  unsupported: readonly { level: string; exchange: Exchange; after: Observation }[];
  /** The stop, the session right before it, and two fetches after it; undefined without a stop operation. */
  stopped: { before: Observation; exchange: Exchange; after: Observation[] } | undefined;
}

/** Model that supports only disabled and high: a follow-up with another level shows whose model is validated. */
export const keptModel = 'glm-5.2';

const unsupportedLevels = ['low', 'medium'] as const;

const levels: readonly JsonObject[] = [
  {},
  { thinkingLevel: 'disabled' },
  {},
  { thinkingLevel: null },
  { thinkingLevel: 'high' },
];

/** Creates one session with follow-up tasks; records each task and the stop. */
export const keptSession: Scenario<KeptSession> = {
  name: 'kept-session',
  creates: 'one V3 session that is kept, with one task and five follow-ups',
  spend: 'task',
  dispatches: 1 + levels.length,
  stateful: true,
  run: (context) => context.live(() => driveKept(context)),
};

async function driveKept(context: ScenarioContext): Promise<KeptSession> {
  const task = context.target.tasks.succeed;
  const first = await runTask(context, {
    task,
    model: keptModel,
    thinkingLevel: 'high',
    keepAlive: true,
  });
  const open = context.target.v3?.followUp !== null && first.end.record['status'] === 'idle';
  const followUps = open ? await sendFollowUps(context, first.id) : [];
  const last = followUps.at(-1);
  // A task that is still pending could be mistaken for a task of the refused follow-up.
  const settled = last === undefined || !succeeded(last.dispatched) || hasEnded(last);
  const unsupported = open && settled ? await sendUnsupported(context, first.id) : [];
  const stopped = context.target.v3?.stop === null ? undefined : await stop(context, first);
  return { first, followUps, unsupported, stopped };
}

async function sendFollowUps(context: ScenarioContext, id: string): Promise<TaskObservation[]> {
  const sent: TaskObservation[] = [];
  for (const level of levels) {
    const observed = await runFollowUp(context, id, { task: context.target.tasks.succeed, keepAlive: true, ...level });
    sent.push(observed);
    if (!succeeded(observed.dispatched) || !hasEnded(observed) || observed.end.record['status'] !== 'idle') break;
  }
  return sent;
}

async function sendUnsupported(context: ScenarioContext, id: string): Promise<KeptSession['unsupported']> {
  const sent: { level: string; exchange: Exchange; after: Observation }[] = [];
  for (const level of unsupportedLevels) {
    const body = { task: context.target.tasks.succeed, thinkingLevel: level };
    const exchange = await context.sessions.followUp(id, { body, invalid: true });
    sent.push({ level, exchange, after: await fetchSession(context, id) });
    // An accepted follow-up is running now, and would cause the next refusal.
    if (!refused(exchange)) break;
  }
  return sent;
}

/** Fetches a session, stops it, and fetches it twice after the stop. */
async function stop(
  context: ScenarioContext,
  session: SessionObservation,
): Promise<NonNullable<KeptSession['stopped']>> {
  const before = await fetchSession(context, session.id);
  const exchange = await context.sessions.stop(session.id);
  const first = await fetchSession(context, session.id);
  const task: TaskObservation = { request: {}, dispatched: exchange, fetches: [first], end: first };
  await poll(context, task, {
    id: session.id,
    until: ({ end }) => endStates.includes(textOf(end.record['status'])),
    deadlineMs: context.target.polling.settleDeadlineMs,
  });
  const after = [...task.fetches, await fetchSession(context, session.id), await fetchSession(context, session.id)];
  return { before, exchange, after };
}

/** A slow task with recording, stopped while it runs. */
export interface InterruptedSession {
  session: SessionObservation;
  /** The page of its live view, opened without a key while it runs; undefined where its record shows no URL. */
  live: Exchange | undefined;
  stopped: KeptSession['stopped'];
}

/** Creates one session with a recording and stops it while its task runs. */
export const interruptedSession: Scenario<InterruptedSession> = {
  name: 'interrupted-session',
  creates: 'one V3 session with a slow task that is stopped while it runs',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) => (tasks.slow === null ? 'the target file names no slow goal (tasks.slow)' : undefined),
  run: (context) => context.live(() => interrupt(context)),
};

async function interrupt(context: ScenarioContext): Promise<InterruptedSession> {
  const body = { task: String(context.target.tasks.slow), keepAlive: true, enableRecording: true };
  const session = await createSession(context, body);
  // Two fetches while it runs allow a comparison of counters, and show recordings that appear too early.
  await poll(context, session, {
    id: session.id,
    until: (task) => hasEnded(task) || task.fetches.filter(({ record }) => record['status'] === 'running').length >= 2,
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  const address = session.fetches.map(({ record }) => record['liveUrl']).find((url) => typeof url === 'string');
  const live = address === undefined || !URL.canParse(address) ? undefined : await openAddress(context, address);
  return { session, live, stopped: context.target.v3?.stop === null ? undefined : await stop(context, session) };
}
