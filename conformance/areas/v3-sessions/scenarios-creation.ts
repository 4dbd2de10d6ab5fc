import { beyondCeiling } from '../../common/cost-ceilings.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, toText } from '../../core/json.ts';
import type { AnyScenario, ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  acceptedLevelCells,
  drawTasklessCells,
  isReachable,
  acceptanceCellCount,
  drawAcceptanceCells,
  type LevelCell,
  levelCells,
} from '../../common/level-cells.ts';
import { selectedCells, probeCells, type Probed, type ProbeRecording } from '../../common/probe-cells.ts';
import {
  createSession,
  CreationRefused,
  endStates,
  fetchSession,
  hasEnded,
  type Observation,
  poll,
  runFollowUp,
  type SessionObservation,
} from '../../common/observed-session.ts';
import { sample } from '../../core/random.ts';
import type { Target } from '../../core/target.ts';
import { type AcceptanceProbe, probeAcceptance } from '../../common/acceptance-probes.ts';
import { levelTable, ownKeyOption, type ValueCell, valueTable } from './accepted-values.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import { isOwnTask } from '../../common/target-facts.ts';
import { NotTestable, settleAll } from '../../core/outcome.ts';
import { codeModel } from './scenarios-outputs.ts';
import { keptModel } from './scenarios-kept.ts';
import { getKeepMembers } from './scenarios.ts';
import { sendRefused } from './scenarios-refusals.ts';

/** Requests and responses for the cells of the V3 matrix that must be accepted. */
export interface AcceptedLevels {
  cells: Probed<LevelCell>[];
  /** Probes of the cells, each in a request that the target refuses for another reason. */
  probes: AcceptanceProbe<LevelCell>[];
  /** Probes of other values that must be accepted, each in a request that the target refuses for another reason. */
  values: AcceptanceProbe<ValueCell>[];
  /** The first fetch of a session of each model. */
  models: { model: string; names: readonly string[]; observation: Observation }[];
  /** Creations of sessions without a task and without a level. */
  bare: BareCreation[];
  /**
   * Follow-ups with supported levels to sessions without a task, sent after the end of the session: they are refused in
   * any case.
   */
  late: Probed<LevelCell>[];
  /** Cells that the target has refused with 422, sent again after it has accepted their level for another model. */
  refusedAfter: ProbeRecording<LevelCell>;
}

/** A creation without a level. */
export interface BareCreation {
  model: string;
  exchange: Exchange;
  /** The same creation with a level, sent only if the creation without a level was refused as invalid. */
  leveled: Exchange | undefined;
}

/**
 * Creates one session per drawn model: the creation sends one drawn level, and follow-up tasks send the others. Without
 * follow-ups, each level gets its own session. Probes and sessions without a task cover further cells.
 */
export const acceptedLevels: Scenario<AcceptedLevels> = {
  name: 'accepted-levels',
  creates:
    'one V3 session per model drawn, with one task per level drawn, and sessions without a task, stopped at once',
  spend: 'task',
  dispatches: 'cells',
  cells: acceptanceCellCount,
  // Sessions without a task and probes cover cells that tasks do not reach; V2 and V4 need the tasks more.
  weight: 5,
  needsNoTask: true,
  stateful: false,
  run: async (context) => {
    const all = drawAcceptanceCells({
      target: context.target,
      count: context.onlyCell === undefined ? context.taskBudget : acceptanceCellCount,
      seed: context.seed,
    });
    const cells = selectedCells(all, context.onlyCell);
    const before = await probeCells(drawRefused(context), (cell) =>
      sendRefused(context, cell, { own: ownKeyOption(cell) }),
    );
    const models = [...new Set(cells.map(({ model }) => model))];
    const parts = await settleAll(
      models.map((model) =>
        context.live(() =>
          driveModel(
            context,
            cells.filter((cell) => cell.model === model),
          ),
        ),
      ),
    );
    const withTasks = parts.flatMap((part) => part.cells);
    const { cells: probed, ...table } = levelTable(context.target);
    const probes = await probeAcceptance(context, { ...table, cells: selectedCells(probed, context.onlyCell) });
    const { cells: listed, ...valued } = valueTable(context);
    const values =
      probes.length === 0
        ? []
        : await probeAcceptance(context, { ...valued, cells: selectedCells(listed, context.onlyCell) });
    // Probes have tried each level: sessions then have only to show each model.
    const others = await createWithoutTasks(context, withTasks, probes.length > 0 ? 'one' : 'all');
    const accepted = [...withTasks, ...others.cells];
    return {
      cells: accepted,
      refusedAfter: await refuseAgain(context, before, accepted),
      probes,
      values,
      models: [...parts.flatMap((part) => part.models), ...others.models],
      bare: others.bare,
      late: others.late,
    };
  },
};

/** Number of models for each level that these models must refuse. */
const refusedModels = 2;

/** Draws models for each level, each with the level that it must refuse. Returns nothing for a run of one cell. */
function drawRefused({ onlyCell, seed }: ScenarioContext): LevelCell[] {
  const refused = levelCells('v3').filter((cell) => !cell.accepted && !cell.ownKey && onlyCell === undefined);
  return [...Map.groupBy(refused, ({ level }) => level).values()]
    .flatMap((cells) => sample(cells, refusedModels, seed))
    .map((cell) => ({ ...cell, key: `${cell.key} after another model` }));
}

/** Sends again the cells that were refused with 422 and whose level the target has accepted for another model since. */
function refuseAgain(
  context: ScenarioContext,
  before: ProbeRecording<LevelCell>,
  accepted: readonly Probed<LevelCell>[],
): Promise<ProbeRecording<LevelCell>> {
  const levels = new Set(accepted.filter(({ exchange }) => succeeded(exchange)).map(({ cell }) => cell.level));
  const again = before.probes.filter(({ cell, exchange }) => exchange.status === 422 && levels.has(cell.level));
  return probeCells(
    again.map(({ cell }) => cell),
    (cell) => sendRefused(context, cell, { own: ownKeyOption(cell) }),
  );
}

/**
 * Returns two cells, one of `keptModel` and one of a model that the seed draws. Sessions for these cells are created
 * without a level.
 */
function drawBareCells(target: Target, seed: number): LevelCell[] {
  const byModel = Map.groupBy(
    acceptedLevelCells.filter((cell) => isReachable(cell, target)),
    ({ model }) => model,
  );
  const others = [...byModel.keys()].filter((model) => model !== keptModel);
  return [keptModel, ...sample(others, 1, seed)].flatMap((model) => byModel.get(model)?.slice(0, 1) ?? []);
}

type TasklessSessions = Pick<AcceptedLevels, 'cells' | 'models' | 'bare' | 'late'>;

/**
 * Creates, reads and stops a session without a task for each drawn cell that is not in `tried`. Creates a session
 * without a level for each cell of `drawBareCells`. For a run of one cell, only this cell is sent. Returns empty lists
 * for a stateless target, without a stop operation, and if a first session without task and level is refused.
 */
async function createWithoutTasks(
  context: ScenarioContext,
  tried: readonly Probed<LevelCell>[],
  levels: 'all' | 'one',
): Promise<TasklessSessions> {
  const { target, seed, onlyCell } = context;
  const made: TasklessSessions = { cells: [], models: [], bare: [], late: [] };
  if (target.stateless || target.v3?.stop === null) return made;
  const keys = new Set(tried.map(({ cell }) => cell.key));
  const wanted = onlyCell === undefined ? drawTasklessCells(target, seed, levels) : acceptedLevelCells;
  const cells = selectedCells(wanted, onlyCell).filter(({ key }) => !keys.has(key));
  const create = (
    body: JsonObject,
    stopped?: (id: string) => Promise<void>,
  ): Promise<{ exchange: Exchange; observation: Observation | undefined }> =>
    context.live(async () => {
      const exchange = await context.sessions.create({ body });
      if (!succeeded(exchange)) return { exchange, observation: undefined };
      const id = context.sessions.readId(exchange);
      const observation = await fetchSession(context, id);
      await context.sessions.stop(id);
      await stopped?.(id);
      return { exchange, observation };
    });
  const bareCells = onlyCell === undefined ? drawBareCells(target, seed) : [];
  if (cells.length + bareCells.length === 0 || !succeeded((await create({ keepAlive: false })).exchange)) return made;
  const bodyWithout = ({ model, ownKey, provider }: LevelCell): JsonObject => {
    // With a stored key, the alias is also requested with `useOwnKey`. Other scenarios request the alias without this
    // option.
    const isKeyed = ownKey || (model === codeModel && target.ownKeys.includes(provider));
    return { model, keepAlive: false, ...(isKeyed ? { useOwnKey: true } : {}) };
  };
  const created = withKept(cells, seed).map(async ({ cell, keepAlive }, index) => {
    const { model, level, names } = cell;
    const body = { ...bodyWithout(cell), keepAlive, thinkingLevel: level };
    const { exchange, observation } = await create(body, async (id) => {
      made.late.push(...(await sendLate(context, { id, cell, number: index + seed })));
    });
    made.cells.push({ cell, exchange });
    if (observation !== undefined) made.models.push({ model, names, observation });
  });
  const bare = bareCells.map(async (cell) => {
    const { exchange } = await create(bodyWithout(cell));
    const isInvalid = exchange.status === 422;
    const leveled = isInvalid ? await create({ ...bodyWithout(cell), thinkingLevel: cell.level }) : undefined;
    made.bare.push({ model: cell.model, exchange, leveled: leveled?.exchange });
  });
  await settleAll([...bare, ...created]);
  return made;
}

/**
 * Chooses `keepAlive` for the session of each cell: both values for an alias, and one of them for another model. The
 * seed decides which.
 */
function withKept(cells: readonly LevelCell[], seed: number): { cell: LevelCell; keepAlive: boolean }[] {
  return cells.flatMap((cell, index) => {
    const values = cell.names.length > 1 ? [false, true] : [(index + seed) % 2 === 1];
    return values.map((keepAlive) => ({ cell, keepAlive }));
  });
}

/** Number of follow-ups that are sent to each ended session. */
const lateCount = 2;

/**
 * Sends follow-ups to a session that has ended, each with a level that its model supports, until one is accepted.
 * `number` decides which levels are sent; a run of one cell sends only this cell. Sends nothing if the session has not
 * ended, because a follow-up would start a task.
 */
async function sendLate(
  context: ScenarioContext,
  { id, cell, number }: { id: string; cell: LevelCell; number: number },
): Promise<Probed<LevelCell>[]> {
  const sent: Probed<LevelCell>[] = [];
  if (context.target.v3?.followUp === null) return sent;
  const { record } = await fetchSession(context, id);
  if (!endStates.includes(toText(record['status']))) return sent;
  const { supported, model } = cell;
  const drawn = Array.from({ length: lateCount }, (_, index) => {
    const place = number + Math.floor((index * supported.length) / lateCount);
    return supported[place % supported.length] ?? cell.level;
  });
  for (const level of context.onlyCell === undefined ? new Set(drawn) : [cell.level]) {
    const other = { ...cell, level, key: `${model} ${level}` };
    const body = { ...followUpBody(context, other), ...getKeepMembers(context.target) };
    const exchange = await context.sessions.followUp(id, { body, invalid: true });
    sent.push({ cell: other, exchange });
    if (succeeded(exchange)) break;
  }
  return sent;
}

async function driveModel(
  context: ScenarioContext,
  cells: readonly LevelCell[],
): Promise<Pick<AcceptedLevels, 'cells' | 'models'>> {
  const single = context.target.stateless || context.target.v3?.followUp === null;
  if (!single) return driveSession(context, cells);
  const sent: Probed<LevelCell>[] = [];
  // Without follow-ups, every level needs its own session, which is stopped at once.
  for (const cell of cells) sent.push({ cell, exchange: await createAndStop(context, cell) });
  return { cells: sent, models: [] };
}

async function createAndStop(context: ScenarioContext, cell: LevelCell): Promise<Exchange> {
  const exchange = await context.sessions.create({ body: buildBody(context, cell, false) });
  if (succeeded(exchange) && !context.target.stateless) await context.sessions.stop(context.sessions.readId(exchange));
  return exchange;
}

async function driveSession(
  context: ScenarioContext,
  cells: readonly LevelCell[],
): Promise<Pick<AcceptedLevels, 'cells' | 'models'>> {
  const [first, ...rest] = cells;
  if (first === undefined) return { cells: [], models: [] };
  try {
    const session = await createSession(context, buildBody(context, first, true));
    const observation = session.end;
    await poll(context, session, { id: session.id, until: hasEnded });
    const sent: Probed<LevelCell>[] = [{ cell: first, exchange: session.dispatched }];
    for (const cell of rest) {
      const { dispatched } = await runFollowUp(context, session.id, followUpBody(context, cell));
      sent.push({ cell, exchange: dispatched });
    }
    if (context.target.v3?.stop !== null) await context.sessions.stop(session.id);
    return { cells: sent, models: [{ model: first.model, names: first.names, observation }] };
  } catch (error) {
    if (!(error instanceof CreationRefused)) throw error;
    return { cells: [{ cell: first, exchange: error.exchange }], models: [] };
  }
}

function buildBody({ target }: ScenarioContext, cell: LevelCell, keepAlive: boolean): JsonObject {
  const own = cell.ownKey ? { useOwnKey: true } : {};
  return { task: target.tasks.succeed, model: cell.model, thinkingLevel: cell.level, keepAlive, ...own };
}

function followUpBody({ target }: ScenarioContext, cell: LevelCell): JsonObject {
  const own = cell.ownKey ? { useOwnKey: true } : {};
  return { task: target.tasks.succeed, thinkingLevel: cell.level, keepAlive: true, ...own };
}

/**
 * Creates one session with a task, code mode and every option that the target file names. The session is kept after its
 * task and then stopped, if the target offers a stop. The task exceeds the cost ceiling if the target file defines such
 * a task itself. Stops a session whose task continues beyond its ceiling or past the task deadline.
 */
export const equippedSession: Scenario<SessionObservation> = {
  name: 'equipped-session',
  creates: 'one V3 session that is kept, in code mode, with a cost ceiling, a mailbox and a proxy country',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  run: (context) => context.live(() => driveEquipped(context)),
};

async function driveEquipped(context: ScenarioContext): Promise<SessionObservation> {
  const session = await createSession(context, equippedBody(context.target)).catch((error: unknown) => {
    throw withExistingIds(error, context.target);
  });
  const isOver = (): boolean => hasEnded(session) || beyondCeiling(session.fetches) !== undefined;
  await poll(context, session, { id: session.id, until: isOver });
  const isAlive = !hasEnded(session) || session.end.record['status'] === 'idle';
  if (isAlive && context.target.v3?.stop !== null) await context.sessions.stop(session.id);
  return session;
}

/**
 * If the target refused a creation with 404, adds a hint to the error that names the members of the target file with
 * ids. Returns any other error unchanged.
 */
function withExistingIds(error: unknown, { v3 }: Target): unknown {
  const members = ['profileId', 'workspaceId'] as const;
  const named = members
    .filter((member) => (v3?.existing[member] ?? null) !== null)
    .map((member) => `v3.existing.${member}`);
  if (!(error instanceof CreationRefused) || error.exchange.status !== 404 || named.length === 0) return error;
  return new CreationRefused(error.exchange, ` (does ${named.join(' or ')} of the target file name an unknown id?)`);
}

/** Proxy country that `equippedSession` requests. */
export const equippedCountry = 'us';

function equippedBody(target: Target): JsonObject {
  const { v3, tasks, limits } = target;
  // Only the author of a task knows that it cannot be done below the ceiling.
  const exceeds = isOwnTask(target, 'exceedCeiling') && (v3?.members.maxCostUsd ?? null) !== null;
  const body: JsonObject = { task: exceeds ? tasks.exceedCeiling : tasks.succeed, keepAlive: false };
  if (tasks.code !== null) body['codeMode'] = true;
  if (v3 === null) return body;
  // Another session in code mode ends after its task.
  body['keepAlive'] = v3.stop !== null;
  const { maxCostUsd, inbox, proxyCountryCode, profileId, workspaceId } = v3.members;
  const options: [string | null, JsonObject[string] | null][] = [
    [maxCostUsd, limits.ceilingUsd],
    [inbox, true],
    [proxyCountryCode, equippedCountry],
    [profileId, v3.existing.profileId],
    [workspaceId, v3.existing.workspaceId],
  ];
  for (const [member, value] of options) if (member !== null && value !== null) body[member] = value;
  return body;
}

/** Creations on an own-key model: with `useOwnKey` in both spellings, and afterwards without this option. */
export interface OwnKeySession {
  camelCase: Exchange;
  /**
   * Answer to the creation with the option in snake case. Undefined if the target refuses a session without a task,
   * because each session would then start a task.
   */
  snakeCase: Exchange | undefined;
  /** Answer to a creation on the same model without the option. */
  without: Exchange;
}

/**
 * Creates a session with a stored provider key for each spelling of the option, and stops it at once. The first session
 * has no task, the second has a task. If the target refuses a session without a task, sends only the camel case, with a
 * task. Then sends a creation without the option.
 */
export const ownKeySession: Scenario<OwnKeySession> = {
  name: 'own-key-session',
  creates: 'two V3 sessions on an own-key model, one of them without a task',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) =>
    servedCell(target) === undefined
      ? 'the target file names no stored provider key for an own-key model (ownKeys)'
      : undefined,
  run: (context) =>
    context.live(async () => {
      const taskless = await send(context, { useOwnKey: true, task: null });
      const isTaskless = succeeded(taskless);
      const camelCase = isTaskless ? taskless : await send(context, { useOwnKey: true });
      const snakeCase = isTaskless ? await send(context, { use_own_key: true }) : undefined;
      return { camelCase, snakeCase, without: await send(context, {}) };
    }),
};

/** Answers to a creation without a task on an own-key model, with the option in each of its spellings. */
export interface OwnKeySpelling {
  model: string;
  camelCase: Exchange;
  snakeCase: Exchange;
}

/**
 * Creates a session without a task for each spelling of the own-key option, on an own-key model of each provider, and
 * stops each at once. For targets whose file names no stored key: whether a key is stored shows in the answers.
 */
export const ownKeySpellings: Scenario<OwnKeySpelling[]> = {
  name: 'own-key-spellings',
  creates: 'a V3 session without a task for each spelling of the own-key option, each stopped at once',
  spend: 'task',
  dispatches: 0,
  browsers: () => 2 * ownKeyModels.length,
  stateful: true,
  run: (context) =>
    settleAll(
      ownKeyModels.map((model) =>
        context.live(async () => {
          const { task: _task, ...rest } = sessionProbe(context.target);
          const ask = (option: JsonObject): Promise<Exchange> =>
            context.sessions.probe({ ...rest, model, keepAlive: false, ...option });
          return { model, snakeCase: await ask({ use_own_key: true }), camelCase: await ask({ useOwnKey: true }) };
        }),
      ),
    ),
};

/** One own-key model of each provider. */
const ownKeyModels: readonly string[] = [
  ...Map.groupBy(
    levelCells('v3').filter(({ ownKey }) => ownKey),
    ({ provider }) => provider,
  ).values(),
].flatMap(([cell]) => cell?.model ?? []);

/** Returns the scenario that shows the effect of the own-key option, with a stored key or without knowledge of one. */
export function ownKeySessions(target: Target): readonly AnyScenario[] {
  return [servedCell(target) === undefined ? ownKeySpellings : ownKeySession];
}

function servedCell(target: Target): LevelCell | undefined {
  return levelCells('v3').find((cell) => cell.ownKey && target.ownKeys.includes(cell.provider));
}

function send({ sessions, target }: ScenarioContext, members: JsonObject): Promise<Exchange> {
  const cell = servedCell(target);
  if (cell === undefined) throw new NotTestable('no own-key model is served');
  // The creation is sent as a probe, because a probe ends its resource at once.
  return sessions.probe({ ...sessionProbe(target), model: cell.model, ...members });
}
