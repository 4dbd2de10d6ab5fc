import { setTimeout as delay } from 'node:timers/promises';
import { toText } from '#conformance/core/json.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from '../../test/support/api-client.ts';
import type { RealBackend } from '../../test/support/start-real-backend.ts';
import type { Draw } from '../draw.ts';
import { type Work, drawWork, plannerModel } from './draw-work.ts';
import type { TracedWeb } from './traced-web.ts';

/** A client that starts and interrupts one task after another. */
export interface Lane {
  readonly number: number;
  readonly web: TracedWeb;
  readonly service: RealBackend;
  readonly draw: Draw;
  /** Session for the next task; null when the next task creates one. */
  session: Session | null;
  /**
   * Times in `performance.now()`, by the name of an interrupted run: when the next run requested its page, or when the
   * session was deleted. No request of the interrupted run may arrive after this time.
   */
  readonly begun: Map<string, number>;
}

interface Session {
  readonly generation: 'v2' | 'v3' | 'v4';
  readonly id: string;
  left: number;
}

/** Result of one interrupt. */
export interface Interrupted {
  /** How the task was ended and its kind of work, such as `work: planner: click`. */
  readonly names: readonly string[];
  /**
   * Whether the task had already ended before the interrupt. Always false for a deleted session and for a task that a
   * limit ends.
   */
  readonly wasEarly: boolean;
  /** Milliseconds until the response to the request that ended the task; null without such a request. */
  readonly answeredMs: number | null;
  /** Milliseconds from the request of the next run to its end; null without a next run in the session. */
  readonly followedMs: number | null;
  readonly faults: readonly string[];
}

/** An interrupt comes at most this number of milliseconds after the start of the task. */
const momentMaxMs = 1_800;
/** Maximum number of tasks that are interrupted in one session before a new session replaces it. */
const usesMax = 40;
const waitMs = 60_000;
/** Time in milliseconds within which a server notices that a connection was closed, even on a loaded machine. */
const closesWithinMs = 1_500;

/**
 * Starts a task and ends it in a random way: at a random moment, or by a limit of the task. Then starts the next run,
 * unless the session was deleted. Returns the effects of the ended task on this run as faults.
 */
export async function oneInterrupt(lane: Lane): Promise<Interrupted> {
  const { draw } = lane;
  const number = lane.web.requests.length;
  const [name, following] = [`r${lane.number}-${number}-a`, `r${lane.number}-${number}-b`];
  lane.session ??= await newSession(lane);
  const { generation } = lane.session;
  const end = draw.of(endings[generation]);
  const work = workFor(lane, end, { name, generation });
  const parts = { lane, session: lane.session, work, name, following };
  const ended = await end.act(parts);
  lane.session.left -= 1;
  if (lane.session.left <= 0 && end.endsSession !== true)
    await call(lane, generation, stopRequests[generation](lane.session.id));
  if (lane.session.left <= 0 || end.endsSession === true) lane.session = null;
  return { ...ended, names: [`end: ${end.name}`, `work: ${work.kind}`] };
}

/**
 * Draws work until it fits the session and the way in which the task will be ended. Only V4 sessions use the agent
 * loop. A task that a limit ends has no wait, mail or program.
 */
function workFor(
  { draw, web }: Lane,
  end: End,
  { name, generation }: { readonly name: string; readonly generation: Session['generation'] },
): Work {
  for (;;) {
    const work = drawWork(draw, web.origin, name);
    const fits = generation === 'v4' || work.model === plannerModel;
    if (fits && !(end.isByItself === true && /mail|wait|program/.test(work.kind))) return work;
  }
}

/** Requests that end a session and its browser, by generation. The request of V4 deletes the session. */
const stopRequests: Readonly<Record<Session['generation'], (id: string) => readonly [string, string, JsonObject?]>> = {
  v2: (id) => ['PATCH', `/sessions/${id}`, { action: 'stop' }],
  v3: (id) => ['POST', `/sessions/${id}/stop`, {}],
  v4: (id) => ['DELETE', `/sessions/${id}`],
};

interface Round {
  readonly lane: Lane;
  readonly session: Session;
  readonly work: Work;
  /** Name of the interrupted run, as used in URLs; `following` is the name of the next run. */
  readonly name: string;
  readonly following: string;
}

type Found = Omit<Interrupted, 'names'>;

interface End {
  readonly name: string;
  readonly endsSession?: boolean;
  readonly isByItself?: boolean;
  readonly act: (round: Round) => Promise<Found>;
}

function client({ service }: Lane, generation: Session['generation']): ApiClient {
  return createApiClient(service.address, undefined, generation);
}

async function newSession(lane: Lane): Promise<Session> {
  const generation = lane.draw.of(['v4', 'v4', 'v4', 'v4', 'v3', 'v3', 'v2'] as const);
  const left = lane.draw.between(1, usesMax);
  if (generation === 'v2') {
    const { body } = await call(lane, 'v2', ['POST', '/sessions', {}]);
    return { generation, id: toText(body['id']), left };
  }
  if (generation === 'v3') {
    const { body } = await call(lane, 'v3', ['POST', '/sessions', { keepAlive: true }]);
    const id = toText(body['id']);
    await client(lane, 'v3').until(id, ({ status }) => status === 'idle', waitMs);
    return { generation, id, left };
  }
  return { generation, id: '', left };
}

async function call(
  lane: Lane,
  generation: Session['generation'],
  [method, path, body]: readonly [string, string, JsonObject?],
): Promise<{ status: number; body: JsonObject }> {
  const answer = await client(lane, generation).call(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/**
 * Starts a task in the session; a V4 task may create the session. Returns the id of the run and the session. The id of
 * a V3 run is that of its session.
 */
async function begin(
  { lane, session }: Round,
  task: string,
  more: JsonObject = {},
): Promise<{ id: string; session: Session }> {
  const { generation, id: sessionId } = session;
  if (generation === 'v2') {
    const { body } = await call(lane, 'v2', ['POST', '/tasks', { task, sessionId, ...more }]);
    return { id: toText(body['id']), session };
  }
  if (generation === 'v3') {
    await call(lane, 'v3', ['POST', '/sessions', { task, sessionId }]);
    return { id: sessionId, session };
  }
  const { body } = await call(lane, 'v4', [
    'POST',
    '/runs',
    { task, ...(sessionId === '' ? {} : { sessionId }), ...more },
  ]);
  const known = { ...session, id: toText(body['sessionId']) };
  if (lane.session !== null) lane.session = known;
  return { id: toText(body['id']), session: known };
}

const endStatus = new Set(['completed', 'failed', 'cancelled', 'finished', 'stopped', 'idle', 'error', 'timed_out']);
const hasEnded = ({ status }: JsonObject): boolean => endStatus.has(toText(status));

/**
 * Returns a function that starts a task, calls `stop` at a random moment, and then starts the next run. The next run
 * opens a page with its own name in the URL, by which the proof recognises the run.
 */
function by(stop: (round: Round, run: string) => Promise<void>): End['act'] {
  return async (round) => {
    const { lane, work, session } = round;
    const run = await begin(round, work.task, session.generation === 'v4' ? { model: work.model } : {});
    await delay(lane.draw.random() * momentMaxMs);
    const record = await client(lane, session.generation).until(run.id, () => true);
    const again = { ...round, session: run.session };
    const stopping = performance.now();
    await stop(again, run.id);
    const answeredMs = performance.now() - stopping;
    return { ...(await follow(again, () => beginMarked(again))), wasEarly: hasEnded(record), answeredMs };
  };
}

/**
 * Returns a function that starts a task with the limit that `bound` returns, waits until the limit ends the task, and
 * then starts the next run.
 */
function byItself(bound: (draw: Draw) => JsonObject): End['act'] {
  return async (round) => {
    const { lane, work, session } = round;
    const model = session.generation === 'v4' ? { model: work.model } : {};
    const run = await begin(round, work.task, { ...model, ...bound(lane.draw) });
    await client(lane, session.generation).until(run.id, hasEnded, waitMs);
    const again = { ...round, session: run.session };
    return { ...(await follow(again, () => beginMarked(again))), wasEarly: false, answeredMs: null };
  };
}

function beginMarked(round: Round): Promise<{ id: string; session: Session }> {
  return begin(round, markGoal(round), round.session.generation === 'v4' ? { model: plannerModel } : {});
}

function markGoal({ lane, following }: Round): string {
  const wait = lane.draw.chance(0.3) ? ', wait 1 second' : '';
  return `Open ${lane.web.origin}/${following}/mark${wait} and tell me the title and text`;
}

/**
 * Starts the next run of the session and waits for its end. Returns its duration, and the faults that the interrupted
 * run has caused in it.
 */
async function follow(
  round: Round,
  next: () => Promise<{ id: string; session: Session }>,
): Promise<Pick<Found, 'faults' | 'followedMs'>> {
  const { lane, name, following, work } = round;
  const asked = performance.now();
  const { id, session } = await next();
  const record = await client(lane, session.generation).until(id, hasEnded, waitMs);
  const followedMs = performance.now() - asked;
  const marked = lane.web.requests.find(({ run }) => run === following);
  const begunAt = marked?.arrivedAt ?? performance.now();
  lane.begun.set(name, begunAt);
  const faults = [
    ...outputFaults(record, following),
    ...(await fileFaults(lane, session, id)),
    ...(await openFaults(lane, name, begunAt)),
  ];
  return {
    followedMs,
    faults: faults.map((fault) => `${following} after ${work.kind} (${work.task.slice(0, 120)}): ${fault}`),
  };
}

function outputFaults(record: JsonObject, following: string): string[] {
  const text = JSON.stringify(record['result'] ?? record['output'] ?? null);
  const isWhole = text.includes(`mark ${following}`) && text.includes('events 0');
  return isWhole ? [] : [`it saw ${text} (${toText(record['status'])} ${JSON.stringify(record['error'] ?? null)})`];
}

/**
 * Returns a fault for each file event of the next run, because that run downloads no file. Only V4 runs have events.
 */
async function fileFaults(lane: Lane, { generation }: Session, id: string): Promise<string[]> {
  if (generation !== 'v4') return [];
  const { body } = await call(lane, 'v4', ['GET', `/runs/${id}/events?limit=100`]);
  const events = Array.isArray(body['events']) ? body['events'].filter(isJsonObject) : [];
  return events
    .filter(({ type }) => /file/.test(toText(type)))
    .map(({ data }) => `it got the file ${JSON.stringify(data)}`);
}

/** Returns a fault for each request of the interrupted run that stayed open too long after the next run began. */
async function openFaults({ web }: Lane, name: string, begunAt: number): Promise<string[]> {
  const pending = web.requests.filter(({ run, closedAt }) => run === name && (closedAt === null || closedAt > begunAt));
  if (pending.length > 0) await delay(Math.max(0, begunAt + closesWithinMs - performance.now()));
  return pending
    .filter(({ closedAt }) => closedAt === null || closedAt > begunAt + closesWithinMs)
    .map(({ path }) => `${path} was still pending when it began`);
}

const cancel = by(async ({ lane }, id) => void (await call(lane, 'v4', ['POST', `/runs/${id}/cancel`])));

/**
 * Interrupts the running task by a message, which starts a run. With the offline planner, this run is the next run.
 * With the agent loop, the next run starts after the end of the run that the message has started.
 */
async function interrupt(round: Round): Promise<Found> {
  const { lane, work } = round;
  const run = await begin(round, work.task, { model: work.model });
  await delay(lane.draw.random() * momentMaxMs);
  const again = { ...round, session: run.session };
  const record = await client(lane, 'v4').until(run.id, () => true);
  const stopping = performance.now();
  // A message runs on the model of the previous run.
  const text = work.model === plannerModel ? markGoal(again) : `hello`;
  await call(lane, 'v4', ['POST', `/sessions/${run.session.id}/queue`, { text, interrupt: true }]);
  const answeredMs = performance.now() - stopping;
  const next = async (): Promise<{ id: string; session: Session }> => {
    if (text === 'hello') {
      const message = await runBehind(lane, run);
      await client(lane, 'v4').until(message, hasEnded, waitMs);
      return beginMarked(again);
    }
    return { id: await runBehind(lane, run), session: run.session };
  };
  return { ...(await follow(again, next)), wasEarly: hasEnded(record), answeredMs };
}

/**
 * Returns the id of the run that an interrupting message started; throws if the session's latest run is the interrupted
 * run.
 */
async function runBehind(lane: Lane, { id, session }: { id: string; session: Session }): Promise<string> {
  const { body } = await call(lane, 'v4', ['GET', `/runs?sessionId=${session.id}&limit=1`]);
  const [latest] = Array.isArray(body['runs']) ? body['runs'].filter(isJsonObject) : [];
  if (latest === undefined || latest['id'] === id) throw new Error('an interrupting message began no run');
  return toText(latest['id']);
}

/**
 * Deletes a session during its task, and returns a fault for each request of the task that stays open. The next task
 * uses another session.
 */
async function stopSession(round: Round): Promise<Found> {
  const { lane, work, name } = round;
  const run = await begin(round, work.task, { model: work.model });
  await delay(lane.draw.random() * momentMaxMs);
  const stopping = performance.now();
  await call(lane, 'v4', ['DELETE', `/sessions/${run.session.id}`]);
  const answeredMs = performance.now() - stopping;
  lane.begun.set(name, performance.now());
  const faults = await openFaults(lane, name, performance.now());
  return { wasEarly: false, answeredMs, followedMs: null, faults };
}

const endings: Readonly<Record<Session['generation'], readonly End[]>> = {
  v4: [
    ...Array.from({ length: 5 }, () => ({ name: 'run cancelled', act: cancel })),
    ...Array.from({ length: 5 }, () => ({ name: 'interrupting message', act: interrupt })),
    { name: 'cost ceiling', act: byItself((draw) => ({ maxCostUsd: draw.of([0.000_01, 0.001]) })), isByItself: true },
    { name: 'browser crashed', act: by(async ({ lane, session }) => crash(lane, session)) },
    { name: 'session deleted', act: stopSession, endsSession: true },
  ],
  v3: [
    {
      name: 'task stopped',
      act: by(async ({ lane, session }) => {
        await call(lane, 'v3', ['POST', `/sessions/${session.id}/stop`, { strategy: 'task' }]);
      }),
    },
  ],
  v2: [{ name: 'step ceiling', act: byItself((draw) => ({ maxSteps: draw.between(1, 2) })), isByItself: true }],
};

async function crash({ service }: Lane, { id }: Session): Promise<void> {
  await fetch(`${service.control}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ crashSession: id }),
  });
}
