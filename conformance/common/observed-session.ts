import { compareDecimals, toDecimal, parseDecimal } from '../core/decimal.ts';
import { describeAnswer, type Exchange, succeeded, isServerError } from '../core/exchange.ts';
import { isJsonObject, isSame, type JsonObject, type JsonValue, toText } from '../core/json.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../core/scenario.ts';
import { sessionRecord } from '../ledger/session-api.ts';
import { createRandom, randomUuid } from '../core/random.ts';
import { openAddress } from './session-share.ts';
import { withLongAnswer } from './target-facts.ts';

/** One fetch of a session. */
export interface Observation {
  exchange: Exchange;
  record: JsonObject;
}

/** One task of a session, from the request that dispatched it to the end of polling. */
export interface TaskObservation {
  request: JsonObject;
  /** The record of the session before the request; absent when the request created the session. */
  before?: JsonObject;
  /** Answer to the request that sent the task. */
  dispatched: Exchange;
  /** Every fetch of the session after the request, in order; never empty. */
  fetches: Observation[];
  /** The last fetch of the session. */
  end: Observation;
}

/** A session whose first task was observed. */
export interface SessionObservation extends TaskObservation {
  id: string;
}

/** Thrown when the session of a scenario was not created. */
export class CreationRefused extends NotTestable {
  readonly exchange: Exchange;

  /** Creates the error. `hint` is the end of the message and tells the user what to correct. */
  constructor(exchange: Exchange, hint = '') {
    const body = exchange.body === '' ? '' : `: ${exchange.body.slice(0, 160)}`;
    super(`session creation ${describeAnswer(exchange)}${body}${hint}`);
    this.exchange = exchange;
  }
}

/** Final statuses of a session. */
export const endStates: readonly string[] = ['stopped', 'timed_out', 'error'];

/**
 * Creates a session and fetches it once. Throws CreationRefused, NotTestable if the answer has no id or the fetch
 * returns no record, and NotRun if too many earlier tasks have missed their deadline.
 */
export async function createSession(context: ScenarioContext, body: JsonObject): Promise<SessionObservation> {
  context.deadlines.assertWorthStarting('session');
  const dispatched = await context.sessions.create({ body });
  if (!succeeded(dispatched)) throw new CreationRefused(dispatched);
  const id = context.sessions.readId(dispatched);
  const first = await fetchSession(context, id);
  return { id, request: body, dispatched, fetches: [first], end: first };
}

/**
 * Creates a session with a task and polls until the task has ended or the task deadline has passed. Throws the errors
 * of {@link createSession}, and NotTestable if an unsuccessful task has used up its cost ceiling.
 */
export async function runTask(context: ScenarioContext, body: JsonObject): Promise<SessionObservation> {
  const session = await createSession(context, body);
  await poll(context, session, { id: session.id, until: hasEnded });
  assertFunded(context, session.id, session);
  return session;
}

/**
 * Sends a follow-up task and polls until it has ended or the task deadline has passed. Fetches only once when the task
 * was refused. Throws NotTestable if an unsuccessful task has used up the cost ceiling or a fetch returns no record.
 * Throws NotRun if too many earlier tasks have missed their deadline.
 */
export async function runFollowUp(context: ScenarioContext, id: string, body: JsonObject): Promise<TaskObservation> {
  context.deadlines.assertWorthStarting('session');
  const before = (await fetchSession(context, id)).record;
  const dispatched = await context.sessions.followUp(id, { body });
  const first = await fetchSession(context, id);
  const task: TaskObservation = { request: body, before, dispatched, fetches: [first], end: first };
  if (succeeded(dispatched)) await poll(context, task, { id, until: hasEnded });
  assertFunded(context, id, task);
  return task;
}

/**
 * Throws NotTestable for an unsuccessful task that has used up its cost ceiling. Such a task does not show whether it
 * would have succeeded.
 */
function assertFunded({ ledger }: ScenarioContext, id: string, { end: { record } }: TaskObservation): void {
  const boundUsd = ledger.find('session', id)?.boundUsd;
  const cost = parseDecimal(toText(record['totalCostUsd']));
  if (boundUsd === undefined || cost === undefined || record['isTaskSuccessful'] === true) return;
  if (compareDecimals(cost, toDecimal(boundUsd)) >= 0 && cost.value > 0n) {
    throw new NotTestable(`the task has used up its ceiling of ${boundUsd} US dollars (limits.ceilingUsd)`);
  }
}

/**
 * Fetches a session, and repeats the request once after a server error. Throws NotTestable if the response has no
 * record.
 */
export async function fetchSession(context: ScenarioContext, id: string): Promise<Observation> {
  let exchange = await context.sessions.get(id);
  if (isServerError(exchange.status)) {
    // A single server error may be an accident; IDENTITY-03 judges repeated failures.
    await context.pause(context.target.polling.intervalMs);
    exchange = await context.sessions.get(id);
  }
  const record = sessionRecord(exchange);
  if (record === undefined) throw new NotTestable(`GET of the session ${describeAnswer(exchange)} without a record`);
  return { exchange, record };
}

/**
 * Opens the screenshot URL of a session. Repeats a failure with a new URL until `settleDeadlineMs`, because the file
 * store may lag behind the record. Returns undefined if a record shows no URL.
 */
export async function openScreenshot(context: ScenarioContext, id: string): Promise<Exchange | undefined> {
  const { settleDeadlineMs, intervalMs } = context.target.polling;
  const deadline = context.nowMs() + settleDeadlineMs;
  for (;;) {
    const { screenshotUrl: address } = (await fetchSession(context, id)).record;
    if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
    const opened = await openAddress(context, address);
    if (succeeded(opened) || context.nowMs() > deadline) return opened;
    await context.pause(intervalMs);
  }
}

/** Options for polling a session. */
export interface PollOptions {
  id: string;
  until(task: TaskObservation): boolean;
  /** Maximum time in milliseconds. @defaultValue `taskDeadlineMs` of the target */
  deadlineMs?: number;
}

/**
 * Fetches until a condition holds or the deadline has passed. Returns true if the condition held. Counts a missed
 * deadline unless `deadlineMs` is given.
 */
export async function poll(context: ScenarioContext, task: TaskObservation, options: PollOptions): Promise<boolean> {
  const { intervalMs, taskDeadlineMs } = context.target.polling;
  const deadline = context.nowMs() + (options.deadlineMs ?? taskDeadlineMs);
  while (!options.until(task)) {
    if (context.nowMs() > deadline) {
      if (options.deadlineMs === undefined) context.deadlines.noteMissed('session');
      return false;
    }
    await context.pause(intervalMs);
    task.end = await fetchSession(context, options.id);
    task.fetches.push(task.end);
  }
  return true;
}

/** Returns true when the task of an observation has ended. */
export function hasEnded(task: TaskObservation): boolean {
  const { status } = task.end.record;
  if (endStates.includes(toText(status))) return true;
  if (status !== 'idle') return false;
  // The contract allows idle before a task runs, so idle alone does not show the end of the task.
  return wasRunning(task) || hasResult(task);
}

/** Returns true when the answer to the request, or a fetch after it, shows the session running. */
export function wasRunning({ dispatched, fetches }: TaskObservation): boolean {
  return [dispatched.json, ...fetches.map(({ record }) => record)].some(
    (record) => isJsonObject(record) && record['status'] === 'running',
  );
}

function hasResult({ before, dispatched, end: { record } }: TaskObservation): boolean {
  const created = isJsonObject(dispatched.json) ? dispatched.json : {};
  // A task may have ended before the answer to its creation.
  const isQuick = created['status'] === 'idle' && typeof created['isTaskSuccessful'] === 'boolean';
  if (before === undefined) return isQuick || results.some((member) => changed(record[member], created[member]));
  // The outcome of the previous task was cleared, so the new task is still pending.
  if (typeof before['isTaskSuccessful'] === 'boolean' && record['isTaskSuccessful'] === null) return false;
  return [...results, ...traces].some((member) => changed(record[member], before[member]));
}

const results = ['isTaskSuccessful', 'output'];
/**
 * Members that every task of a session changes. They do not show a task in a new session, which also changes them
 * before its task has run.
 */
const traces = ['stepCount', 'totalCostUsd', 'updatedAt'];

function changed(now: JsonValue | undefined, before: JsonValue | undefined): boolean {
  return now !== undefined && now !== null && !isSame(now, before);
}

/** A session with one task and no other option. */
export interface OneShot extends SessionObservation {
  /** Two fetches of the session after the end of polling. */
  after: Observation[];
  /** Response of the screenshot URL after the end of polling; undefined if the record shows no URL. */
  screenshot: Exchange | undefined;
}

/**
 * Creates one session with a task and `keepAlive` false, without model or level. Records it until its end. Directly
 * before, creates and stops a session with settings that this session must not have.
 */
export const oneShotSession: Scenario<OneShot> = {
  name: 'one-shot-session',
  creates: 'one V3 session with one task that succeeds, and one without a task before it, stopped at once',
  spend: 'task',
  dispatches: 1,
  browsers: () => 1,
  stateful: true,
  run: (context) =>
    context.live(async () => {
      await leaveSettings(context);
      const task = withLongAnswer(context.target, context.target.tasks.succeed);
      const session = await runTask(context, { task, keepAlive: false });
      const after = [await fetchSession(context, session.id), await fetchSession(context, session.id)];
      // A fetch by the same uuid in capital letters may be refused, but must not show another session (IDENTITY-01).
      const path = `/sessions/${session.id.toUpperCase()}`;
      await context.send({ generation: 'v3', operation: 'getSession', method: 'GET', path });
      return { ...session, after, screenshot: await openScreenshot(context, session.id) };
    }),
};

/**
 * Creates a session in code mode with a recording and without a task, and stops it. Does nothing if the target offers
 * no stop or no code mode. Also does nothing if the target allows only one session at a time, because the stop may take
 * effect late, and before the run has read the id of a V3 session: a session of unknown id without a task could not be
 * found and stopped.
 */
async function leaveSettings({ target, sessions, ledger }: ScenarioContext): Promise<void> {
  if (target.v3?.stop === null || target.tasks.code === null || target.limits.sessionsAtOnce < 2) return;
  const sessionsOfRun = ledger.entries().filter(({ kind, generation }) => kind === 'session' && generation === 'v3');
  if (!sessionsOfRun.some(({ id }) => id !== undefined)) return;
  const created = await sessions.create({ body: { keepAlive: true, codeMode: true, enableRecording: true } });
  if (succeeded(created)) await sessions.stop(sessions.readId(created));
}

/**
 * Fetches the record of the first session in the list of a stateless target. If the list is empty, fetches an arbitrary
 * id, for which the target answers too.
 */
export const statelessRecord: Scenario<Observation> = {
  name: 'stateless-record',
  creates: 'nothing: a session record of the mock is fetched',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  async run(context) {
    const [listed] = (await context.sessions.listIds()) ?? [];
    return fetchSession(context, listed ?? randomUuid(createRandom(context.seed)));
  },
};
