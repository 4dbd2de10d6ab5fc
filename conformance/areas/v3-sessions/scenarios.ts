import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  createSession,
  CreationRefused,
  fetchSession,
  hasEnded,
  type Observation,
  poll,
  runFollowUp,
  runTask,
  type SessionObservation,
  type TaskObservation,
} from '../../common/observed-session.ts';
import { identifier, type JsonObject, type JsonValue, memberAt, toText } from '../../core/json.ts';
import { uniqueText } from '../../core/text.ts';
import type { MembersV3, Target } from '../../core/target.ts';
import { suiteLimit } from '../../core/bounds.ts';
import { type LevelCell, levelCells } from '../../common/level-cells.ts';
import { NotTestable } from '../../core/outcome.ts';
import { readSettled } from '../../common/target-facts.ts';
import type { ControlClock } from '../../core/controls.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';

/** Returns the options under the names of the target file; options without a name are left out. */
export function named({ v3 }: Target, options: Partial<Record<keyof MembersV3, JsonObject[string]>>): JsonObject {
  const names: Partial<MembersV3> = v3?.members ?? {};
  const entries = Object.entries(names).flatMap(([key, name]) => {
    const value = Object.entries(options).find(([option]) => option === key)?.[1];
    return typeof name === 'string' && value !== undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * Creates one session with an impossible task, with a recording if the target makes recordings; records its outcome,
 * and the recording that appears within the settle deadline.
 */
export const failingSession: Scenario<SessionObservation> = {
  name: 'failing-session',
  creates: 'one V3 session with a recording and a task that cannot succeed',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) =>
    tasks.fail === null ? 'the target file names no goal that fails (tasks.fail)' : undefined,
  run: (context) =>
    context.live(async () => {
      const enableRecording = context.target.v3?.recordings === true;
      const task = failingTaskWithoutMailbox(context.target);
      return recorded(context, await runTask(context, { ...task, keepAlive: false, enableRecording }));
    }),
};

/**
 * Polls a session until it shows its recording or the settle deadline has passed. Does not poll if the target makes no
 * recordings or the task has not ended.
 */
export async function recorded(context: ScenarioContext, session: SessionObservation): Promise<SessionObservation> {
  if (context.target.v3?.recordings !== true || !hasEnded(session)) return session;
  const deadlineMs = context.target.polling.settleDeadlineMs;
  await poll(context, session, { id: session.id, until: hasRecording, deadlineMs });
  return session;
}

/** Returns true if the last fetch of a session shows a recording. */
export function hasRecording({ end }: TaskObservation): boolean {
  const { recordingUrls } = end.record;
  return Array.isArray(recordingUrls) && recordingUrls.length > 0;
}

/** Returns the failing task without a mailbox. Other sessions request a mailbox. */
function failingTaskWithoutMailbox({ tasks, v3 }: Target): JsonObject {
  const member = v3?.members.inbox ?? null;
  return { task: String(tasks.fail), ...(member === null ? {} : { [member]: false }) };
}

/** A session with keepAlive, observed while the suite advances the target's clock. */
export interface ClockedSession {
  /** Responses of the screenshot URL: at once, shortly before and shortly after its expiry; undefined without a URL. */
  screenshot: { fresh: Exchange; before: Exchange; after: Exchange } | undefined;
  /**
   * How long the session was idle, in ms of the moved clock: before its task (0 if the creation had the task), and
   * between its task and `before`.
   */
  restsMs: { beforeTask: number; afterTask: number };
  /** Fetch of the session before its inactivity timeout. */
  before: Observation;
  /** Fetch of the session after the inactivity timeout; undefined if the target file states no timeout. */
  inactive: Observation | undefined;
}

const lifetimeMs = suiteLimit('screenshotUrlLifetime');
/**
 * Time in ms between a request and the moment that it tests: the expiry of a screenshot URL, or the inactivity timeout
 * of a session.
 */
const marginMs = 15_000;

/**
 * Creates one session and moves the target's clock past the expiry of its screenshot URL and past the inactivity
 * timeout. Records the URL's responses and the session.
 */
export const clockedSession: Scenario<ClockedSession> = {
  name: 'clocked-session',
  creates: 'one V3 session that is kept while the clock of the target is moved',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  movesClock: true,
  waitsMs: ({ limits: { inactivityMs } }) =>
    lifetimeMs + marginMs + (inactivityMs === null ? 0 : inactivityMs + marginMs),
  run: (context) => context.live(() => driveClock(context)),
};

async function driveClock(context: ScenarioContext): Promise<ClockedSession> {
  if (context.clock === undefined) throw new NotTestable('the target file names no control address');
  const late = await runLateTask(context, context.clock);
  const { id } = late ?? (await runTask(context, { task: context.target.tasks.succeed, keepAlive: true }));
  const { record } = await fetchSession(context, id);
  // The next fetch shows a new URL, which must not end the lifetime of the first URL.
  await fetchSession(context, id);
  const screenshot = await watchScreenshot(context, context.clock, record['screenshotUrl']);
  // A service may end an inactive session only after the fetch that has found it inactive.
  await fetchSession(context, id);
  const before = await fetchSession(context, id);
  const afterTask = screenshot === undefined ? 0 : lifetimeMs + marginMs;
  const restsMs = { beforeTask: late?.restMs ?? 0, afterTask };
  return { screenshot, restsMs, before, inactive: await passInactivity(context, context.clock, id) };
}

/** Share of the inactivity period for which a session is idle before its task. */
const restShare = 0.75;

/**
 * Creates a session without a task, moves the clock, and then sends the task, so that the time since the creation and
 * the time since the last task differ. Returns undefined if the target refuses the session or the task, or the session
 * does not become idle. Also returns undefined if the target file states no inactivity period or no control URL:
 * without a control URL the wait would be too long.
 */
async function runLateTask(
  context: ScenarioContext,
  clock: ControlClock,
): Promise<{ id: string; restMs: number } | undefined> {
  const { polling, tasks, v3, control } = context.target;
  const { inactivityMs } = context.target.limits;
  if (inactivityMs === null || (v3?.followUp ?? null) === null || control === null) return undefined;
  const session = await createTaskless(context);
  if (session === undefined) return undefined;
  const { id } = session;
  await poll(context, session, {
    id,
    until: ({ end }) => end.record['status'] !== 'created',
    deadlineMs: polling.startDeadlineMs,
  });
  if (session.end.record['status'] !== 'idle') return undefined;
  const restMs = Math.round(inactivityMs * restShare);
  await clock.advance(restMs);
  const { dispatched } = await runFollowUp(context, id, { task: tasks.succeed, ...getKeepMembers(context.target) });
  return succeeded(dispatched) ? { id, restMs } : undefined;
}

async function createTaskless(context: ScenarioContext): Promise<SessionObservation | undefined> {
  try {
    return await createSession(context, { keepAlive: true });
  } catch (error) {
    if (error instanceof CreationRefused) return undefined;
    throw error;
  }
}

async function watchScreenshot(
  context: ScenarioContext,
  clock: ControlClock,
  address: unknown,
): Promise<ClockedSession['screenshot']> {
  if (typeof address !== 'string') return undefined;
  const look = (): Promise<Exchange> =>
    context.send({ generation: 'other', operation: 'screenshot', method: 'GET', path: address, key: 'none' });
  const fresh = await look();
  await clock.advance(lifetimeMs - marginMs);
  const before = await look();
  await clock.advance(2 * marginMs);
  return { fresh, before, after: await look() };
}

async function passInactivity(
  context: ScenarioContext,
  clock: ControlClock,
  id: string,
): Promise<Observation | undefined> {
  const { inactivityMs } = context.target.limits;
  if (inactivityMs === null) return undefined;
  // A fetch could count as activity, so the clock moves once before the next fetch.
  await clock.advance(inactivityMs + marginMs);
  const seen = await readSettled(
    context,
    () => fetchSession(context, id),
    ({ record }) => record['status'] !== 'idle',
  );
  if (seen.record['status'] === 'timed_out') await sendTaskAfterTimeout(context, id);
  return seen;
}

/** Sends a task to a session that has timed out and must not run again (LIFE-01). */
async function sendTaskAfterTimeout(context: ScenarioContext, id: string): Promise<void> {
  if (context.target.v3?.followUp === null) return;
  const sent = await context.sessions.followUp(id, { body: { task: context.target.tasks.succeed }, invalid: true });
  await context.sessions.get(id);
  if (succeeded(sent)) await context.pause(context.target.polling.intervalMs);
  if (succeeded(sent)) await context.sessions.get(id);
}

/** Follow-up tasks sent to a session without a task: one while it starts, and others while it is idle. */
export interface EarlyFollowUp {
  /** Status of the session right before the first follow-up. */
  before: string;
  exchange: Exchange;
  /** Fetch of the session right after the first follow-up. */
  after: Observation;
  /** Follow-ups that were sent to the session once it was idle; undefined if it was never idle. */
  idle: IdleFollowUps | undefined;
}

/** Follow-ups sent to an idle session that was created without a task. */
export interface IdleFollowUps {
  cell: LevelCell;
  /** The last fetch of the session before the follow-ups. It shows the early task if the target accepted that task. */
  before: Observation;
  /** The answer to a follow-up with the level of `cell`, which the session's model does not support. */
  unsupported: Exchange;
  /** Follow-ups with one invalid member each, up to the first one that was accepted. */
  invalid: { member: string; value: JsonValue; exchange: Exchange }[];
  /** The first task with a supported level; undefined if an earlier follow-up was accepted. */
  first: TaskObservation | undefined;
  /** The first task that the session accepted, sent early or as `first`, polled until it shows a title. */
  titled: TaskObservation | undefined;
}

/**
 * Sends a follow-up immediately after the creation of a session, and further follow-ups when the session is idle.
 * Records every response.
 */
export const earlyFollowUp: Scenario<EarlyFollowUp> = {
  name: 'early-follow-up',
  creates: 'one V3 session without a task, a task that comes too early, and one when it is idle',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ v3 }) =>
    v3?.followUp === null ? 'the target file names no follow-up operation (v3.followUp)' : undefined,
  run: (context) =>
    context.live(async () => {
      const cell = findIdleCell(context.target);
      // Recordings of the first task of this session must outlive the stop.
      const recording = context.target.v3?.recordings === true ? { enableRecording: true } : {};
      const leveled = { model: cell.model, thinkingLevel: cell.supported[0] ?? null };
      const options = { ...leveled, ...getOwnKeyMember(context.target, cell), ...recording };
      const session = await createSession(context, { keepAlive: true, ...options });
      // A target that accepts the early task runs it to its end. The following requests need the session, so it must be
      // kept.
      const body = { task: context.target.tasks.succeed, ...getKeepMembers(context.target) };
      const exchange = await context.sessions.followUp(session.id, { body });
      const before = toText(session.end.record['status']);
      const after = await fetchSession(context, session.id);
      const idle = await followIdle(context, { session, cell, early: exchange, seen: after });
      // A session that stays idle would end when another scenario moves the clock.
      if (context.target.v3?.stop !== null) {
        await context.sessions.stop(session.id);
        await context.sessions.get(session.id);
      }
      return { before, exchange, after, idle };
    }),
};

/** Returns `keepAlive` true if follow-ups are sent to the operation that creates sessions; otherwise no member. */
export function getKeepMembers({ v3 }: Target): JsonObject {
  return v3?.followUp?.path === '/sessions' ? { keepAlive: true } : {};
}

/**
 * Returns a refused cell of a model with several levels: of a model with a stored key, otherwise of any model that the
 * service serves.
 */
export function findIdleCell({ ownKeys }: Target): LevelCell {
  const cells = levelCells('v3').filter(({ accepted, supported }) => !accepted && supported.length > 1);
  const keyed = cells.filter(({ provider }) => ownKeys.includes(provider));
  const cell = keyed.find(({ ownKey }) => ownKey) ?? keyed[0] ?? cells.find(({ ownKey }) => !ownKey);
  if (cell === undefined) throw new Error('the V3 matrix has no model that refuses some levels');
  return cell;
}

/** Returns `useOwnKey` true for a cell whose provider key is stored; otherwise no member. */
export function getOwnKeyMember({ ownKeys }: Target, { provider }: LevelCell): JsonObject {
  return ownKeys.includes(provider) ? { useOwnKey: true } : {};
}

/** A session without a task, to which one follow-up was sent early. */
interface EarlySession {
  session: SessionObservation;
  cell: LevelCell;
  early: Exchange;
  /** Fetch of the session after the follow-up. */
  seen: Observation;
}

async function followIdle(
  context: ScenarioContext,
  { session, cell, early, seen }: EarlySession,
): Promise<IdleFollowUps | undefined> {
  const { id } = session;
  const isTaken = succeeded(early);
  const task: TaskObservation = { request: {}, dispatched: early, fetches: [seen], end: seen };
  const until = isTaken ? hasEnded : ({ end }: TaskObservation): boolean => end.record['status'] !== 'created';
  await poll(context, task, { id, until, deadlineMs: context.target.polling.startDeadlineMs });
  if (task.end.record['status'] !== 'idle') return undefined;
  const titled = isTaken ? await withTitle(context, id, task) : undefined;
  const kept = getKeepMembers(context.target);
  const own = 'keepAlive' in kept ? getOwnKeyMember(context.target, cell) : {};
  const body: JsonObject = { task: context.target.tasks.succeed, ...kept, ...own };
  const refusedBody = { ...body, thinkingLevel: cell.level };
  const unsupported = await context.sessions.followUp(id, { body: refusedBody, invalid: true });
  await fetchSession(context, id);
  const sent = { cell, before: task.end, unsupported };
  if (succeeded(unsupported)) return { ...sent, invalid: [], first: undefined, titled };
  const invalid = await sendInvalid(context, id, body);
  if (isTaken || invalid.some(({ exchange }) => succeeded(exchange)))
    return { ...sent, invalid, first: undefined, titled };
  const level = cell.supported.at(-1) ?? null;
  const structured = getPlainSchema(context, 2);
  // Consecutive seeds end the session with its task and keep it.
  const ending = 'keepAlive' in kept ? { keepAlive: context.seed % 2 === 0 } : {};
  const first = await runWithSchema(context, id, { ...body, ...structured, ...ending, thinkingLevel: level });
  return { ...sent, invalid, first, titled: await withTitle(context, id, first) };
}

/** Schemas whose outputs are no objects. */
export const plainSchemas: readonly JsonObject[] = [
  { type: 'integer', minimum: 0, maximum: 100_000, description: 'About how many words the page has' },
  {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    description: 'The first headings of the page',
    items: { type: 'string', minLength: 1, maxLength: 200 },
  },
  { type: 'boolean', description: 'Whether the page could be opened' },
];

/**
 * Returns the members of a follow-up that ask for structured output, with one of `plainSchemas`. Different numbers give
 * different schemas, and the seed decides which. Returns no member if the target file names no structured task, and if
 * follow-ups have an operation of their own.
 */
export function getPlainSchema({ target, seed }: ScenarioContext, number: number): JsonObject {
  const { tasks, v3 } = target;
  const outputSchema = plainSchemas[(seed + number) % plainSchemas.length];
  if (tasks.structured === null || v3?.followUp?.path !== '/sessions' || outputSchema === undefined) return {};
  return { task: tasks.structured, outputSchema };
}

/**
 * Runs a follow-up. If the target refuses a schema of `plainSchemas` with 400 or 422, runs the succeeding task without
 * the schema.
 */
export async function runWithSchema(context: ScenarioContext, id: string, body: JsonObject): Promise<TaskObservation> {
  const observed = await runFollowUp(context, id, body);
  const { outputSchema, ...rest } = body;
  const isPlain = plainSchemas.some((schema) => schema === outputSchema);
  if (!isPlain || ![400, 422].includes(observed.dispatched.status)) return observed;
  return runFollowUp(context, id, { ...rest, task: context.target.tasks.succeed });
}

/**
 * Polls until the session shows a title or the settle deadline has passed. A title may appear after the end of the
 * task, but not after the stop of the session.
 */
async function withTitle(context: ScenarioContext, id: string, task: TaskObservation): Promise<TaskObservation> {
  const until = ({ end }: TaskObservation): boolean => (end.record['title'] ?? null) !== null;
  await poll(context, task, { id, until, deadlineMs: context.target.polling.settleDeadlineMs });
  return task;
}

/**
 * Words that are no level: the empty text, which a condition may read as absent, and a listed level in capital letters.
 */
const noLevels: readonly JsonObject[] = [{ thinkingLevel: '' }, { thinkingLevel: 'HIGH' }];

/**
 * Members of a creation with values of wrong types. A follow-up that is sent to the operation that creates sessions
 * must refuse them too.
 */
const wrongTypes: readonly JsonObject[] = [{ keepAlive: 'high' }, { codeMode: 'high' }, { outputSchema: 'svc-text' }];

async function sendInvalid(context: ScenarioContext, id: string, body: JsonObject): Promise<IdleFollowUps['invalid']> {
  const sent: IdleFollowUps['invalid'] = [];
  for (const change of [...noLevels, ...('keepAlive' in body ? wrongTypes : [])]) {
    const exchange = await context.sessions.followUp(id, { body: { ...body, ...change }, invalid: true });
    for (const [member, value] of Object.entries(change)) sent.push({ member, value, exchange });
    if (succeeded(exchange)) break;
  }
  return sent;
}

const makers = {
  profile: { member: 'profileId', operation: 'v3.createProfile' },
  workspace: { member: 'workspaceId', operation: 'v3.createWorkspace' },
} as const;

/**
 * Creates a profile and a workspace for a session. Returns their ids under the member names of the target file; omits a
 * resource that was not created.
 */
export async function createAttached(context: ScenarioContext): Promise<JsonObject> {
  const { members } = context.target.v3 ?? {};
  const profileId = members?.profileId === null ? undefined : await createMember(context, 'profile');
  const workspaceId = members?.workspaceId === null ? undefined : await createMember(context, 'workspace');
  return named(context.target, {
    ...(profileId === undefined ? {} : { profileId }),
    ...(workspaceId === undefined ? {} : { workspaceId }),
  });
}

/**
 * Creates a profile or a workspace if the target refuses an id that is no UUID, which shows that the target reads the
 * member. Returns the id; undefined if nothing was created.
 */
async function createMember(context: ScenarioContext, kind: keyof typeof makers): Promise<string | undefined> {
  const { member, operation } = makers[kind];
  if (!context.operations.offers(operation)) return undefined;
  const probe = await context.sessions.probe({
    keepAlive: false,
    ...named(context.target, { [member]: 'svc-no-uuid' }),
  });
  if (!refused(probe)) return undefined;
  const body = { name: uniqueText(context, kind) };
  const created = await context.operations.create(kind, operation, { body });
  return succeeded(created) ? identifier(memberAt(created.json, 'id')) : undefined;
}
