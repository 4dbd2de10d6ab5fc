import { models } from '#generated/rules.ts';
import { sample } from '../../core/random.ts';
import { type JobKind, unstoppableReason, unwatchableReason } from '../../core/job-target.ts';
import { type JsonObject, objectWith } from '../../core/json.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  acceptedParamCells,
  foreignPathCells,
  type LevelCell,
  levelCells,
  levelWords,
  mergeObjects,
  selectedCells,
  type ParamCell,
  probeCells,
  type Probed,
  type ProbeRecording,
  repeatCells,
  refusedParamCells,
  extraMemberCells,
  oddValueCells,
  type ParamsCell,
  secondValueCells,
} from '../../common/cells.ts';
import { type RequestRest, type WithRest, bodyWithRest, plainRest, withRests } from '../../common/request-rests.ts';
import { type AcceptanceProbe, probeAcceptance, type ProbedTable } from '../../common/acceptance-probes.ts';
import { levelTemplate, matchesLevelTemplate, matchesParamTemplate, supportedList } from '../../common/refusals.ts';
import { runCeiling, runProbe, taskProbe } from '../../common/probe-bodies.ts';
import { retryWhileBusy } from '../../common/retry-while-busy.ts';
import { type CircuitBreaker, createCircuitBreaker, type Exchange, succeeded } from '../../core/exchange.ts';
import { sendRefusedCell } from '../../common/one-shot-job.ts';
import type { Target } from '../../core/target.ts';

/** One request that must be accepted. */
export interface JobCell {
  /** `<model>`, `<model> <level>` or `<model> <path> <value>`. */
  key: string;
  model: string;
  /** True when the request carries nothing but the model. */
  plain: boolean;
  /** Number of the group; each round of the selection takes one cell of each group in the order of the numbers. */
  group: number;
  /** Members of the request in addition to the task. */
  members: JsonObject;
}

/** Requests and their responses. */
export interface AcceptedJobs {
  cells: Probed<JobCell>[];
  /** Every cell in a request that must be refused for another reason; V2 cells have a value besides their model. */
  probes: AcceptanceProbe<JobCell>[];
}

/** The older claude models of V2 with the level disabled, the only one that they accept. */
export const olderClaudeKeys: readonly string[] = levelCells('v2')
  .filter(({ model, supported, accepted }) => accepted && model.startsWith('claude-') && supported.length === 1)
  .map(({ key }) => key);

/** Every combination of model and level that V2 must accept, in table order. */
export const taskCells: readonly JobCell[] = levelCells('v2')
  .filter((cell) => cell.accepted)
  .map(({ key, model, level }) => ({
    key,
    model,
    plain: false,
    group: olderClaudeKeys.includes(key) ? 0 : 1,
    members: { llm: model, thinkingLevel: level },
  }));

/** Every V4 model and every value of a path that must be accepted. */
export const runCells: readonly JobCell[] = [
  ...models.v4.models.map(({ name }) => ({
    key: name,
    model: name,
    plain: true,
    group: 1,
    members: { model: name },
  })),
  ...acceptedParamCells().map(({ key, model, path, value }) => ({
    key,
    model,
    plain: false,
    group: 0,
    members: { model, modelParams: objectWith(path, value) },
  })),
];

/** Creates V2 tasks with every level that their model accepts, and ends each at once. */
export const acceptedTasks: Scenario<AcceptedJobs> = {
  ...sendsCells('task', taskCells, () => [taskTable()]),
  name: 'accepted-tasks',
  creates: 'one V2 task per level drawn, each stopped at once',
};

/** Creates V4 runs with every model and every listed modelParams value, and ends each at once. */
export const acceptedRuns: Scenario<AcceptedJobs> = {
  ...sendsCells('run', runCells, (target) => [runTable(target), modelTable(target)]),
  name: 'accepted-runs',
  creates: 'one V4 run per model or modelParams value drawn, each cancelled at once',
};

function sendsCells(
  kind: JobKind,
  cells: readonly JobCell[],
  tables: (target: Target) => readonly ProbedTable<JobCell>[],
): Omit<Scenario<AcceptedJobs>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 'cells',
    needsNoTask: true,
    cells: cells.length,
    stateful: false,
    unavailable: (target) => unendable(target, kind),
    run: async (context) => {
      const drawn = draw(selectedCells(cells, context.onlyCell), context.taskBudget, context.seed);
      const sent = await sendCells(context, kind, drawn);
      const probes: AcceptanceProbe<JobCell>[] = [];
      for (const { cells: probed, ...table } of tables(context.target))
        probes.push(...(await probeAcceptance(context, { ...table, cells: selectedCells(probed, context.onlyCell) })));
      return { cells: sent, probes };
    },
  };
}

/** Returns the combinations of model and level that V2 must accept, as requests without a task. */
export function taskTable(): ProbedTable<JobCell> {
  const refusedPair = levelCells('v2').find((cell) => !cell.accepted && cell.supported.length > 0);
  if (refusedPair === undefined) throw new Error('the V2 matrix has no model that refuses some levels');
  const asJob = ({ key, model, level }: LevelCell): JobCell => ({
    key,
    model,
    plain: false,
    group: 0,
    members: { llm: model, thinkingLevel: level },
  });
  const pairs = new Map(levelCells('v2').map((cell) => [cell.key, cell]));
  return {
    generation: 'v2',
    cells: taskCells,
    control: asJob(refusedPair),
    bare: ({ model }) => ({ ...taskProbe(), llm: model }),
    value: ({ members }) => ({ thinkingLevel: members['thinkingLevel'] ?? null }),
    isAbout: ({ key }, exchange) => {
      const { names = [], level = '' } = pairs.get(key) ?? {};
      return supportedList(exchange, levelTemplate(names, level)) !== undefined;
    },
  };
}

/**
 * Returns the V4 parameter values that must be accepted: each value alone, and combined values of the several paths of
 * a model.
 */
export function runTable(target: Target): ProbedTable<JobCell> {
  const [control] = refusedParamCells().filter(({ supported }) => supported.length > 0);
  if (control === undefined) throw new Error('the table of modelParams has no value that is refused');
  const asJob = ({ key, model, path, value }: ParamCell): JobCell => ({
    key,
    model,
    plain: false,
    group: 0,
    members: { model, modelParams: objectWith(path, value) },
  });
  return {
    generation: 'v4',
    cells: [...runCells.filter(({ plain }) => !plain), ...jointParamCells()],
    control: asJob(control),
    bare: ({ model }) => ({ ...runProbe(target), model }),
    value: ({ members }) => ({ modelParams: members['modelParams'] ?? null }),
    isAbout: ({ model }, exchange) => matchesParamTemplate(exchange, model),
  };
}

/**
 * Returns the V4 models that take no modelParams. Only the model of their requests differs from the smallest one. The
 * table of parameter values has such a request for every other model.
 */
function modelTable(target: Target): ProbedTable<JobCell> {
  const withValues = new Set(runCells.filter(({ plain }) => !plain).map(({ model }) => model));
  return {
    ...runTable(target),
    cells: runCells.filter(({ plain, model }) => plain && !withValues.has(model)),
    bare: () => runProbe(target),
    value: ({ members }) => members,
  };
}

/** Returns cells with one listed value for every path of a model that has several paths. */
function jointParamCells(): JobCell[] {
  // Beside `disabled`, an effort or a display contradicts it, and the contract does not state what such a request gets.
  const joined = acceptedParamCells().filter(({ value }) => value !== 'disabled');
  const byModel = Map.groupBy(joined, ({ model }) => model);
  return [...byModel].flatMap(([model, cells]) => {
    const byPath = [...Map.groupBy(cells, ({ path }) => path).values()];
    if (byPath.length < 2) return [];
    const longest = Math.max(...byPath.map((values) => values.length));
    return Array.from({ length: longest }, (_, index): JobCell => {
      const chosen = byPath.flatMap((values) => values[index % values.length] ?? []);
      const modelParams = mergeObjects(...chosen.map(({ path, value }) => objectWith(path, value)));
      const key = `${model} ${chosen.map(({ path, value }) => `${path} ${value}`).join(' and ')}`;
      return { key, model, plain: false, group: 0, members: { model, modelParams } };
    });
  });
}

// Selects cells by the seed: one of each group first, those with modelParams before the plain ones. An accepted cell
// with modelParams shows its model as well.
function draw(cells: readonly JobCell[], count: number, seed: number): JobCell[] {
  const groups = Map.groupBy(cells, ({ group }) => group);
  const leading = [...groups.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((group) => sample(groups.get(group) ?? [], 1, seed))
    .slice(0, count);
  const others = cells.filter((cell) => !leading.includes(cell));
  return [...leading, ...sample(others, count - leading.length, seed)];
}

/** Maximum number of jobs that stay alive after their stop; each may cost money. */
const livingMax = 3;

async function sendCells(
  context: ScenarioContext,
  kind: JobKind,
  cells: readonly JobCell[],
): Promise<AcceptedJobs['cells']> {
  const { target, jobs } = context;
  let living = 0;
  // Waits for all requests before it reports the first error: no dispatch may follow the end of the scenario.
  const sent = await Promise.allSettled(
    cells.map((cell) =>
      context.live(async (): Promise<Probed<JobCell>[]> => {
        if (living >= livingMax) return [];
        const body = { task: target.tasks.succeed, ...(kind === 'run' ? runCeiling(target) : {}), ...cell.members };
        const { exchange, ended } = await retryWhileBusy(context, () => jobs[kind].trial(body));
        living += ended ? 0 : 1;
        return [{ cell, exchange }];
      }),
    ),
  );
  return sent.flatMap((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/**
 * Returns requests with the options that every V2 model must accept, whatever levels it supports. Covers the models
 * that lack some levels.
 */
export function optionTable(): ProbedTable<JobCell> {
  const { control } = taskTable();
  const lacking = levelCells('v2').filter(({ level, accepted }) => level === 'disabled' && !accepted);
  const cells = lacking.flatMap(({ model }) => [
    { key: `${model} null`, model, plain: false, group: 0, members: { llm: model, thinkingLevel: null } },
    { key: `${model} thinking true`, model, plain: false, group: 0, members: { llm: model, thinking: true } },
  ]);
  const { llm } = levelCell;
  const both = levelWords.flatMap((thinkingLevel) =>
    [true, false].map((thinking) => ({
      key: `${llm} ${thinkingLevel} thinking ${thinking}`,
      model: llm,
      plain: false,
      group: 0,
      members: { llm, thinkingLevel, thinking },
    })),
  );
  return {
    generation: 'v2',
    cells: [...cells, ...both],
    control,
    bare: ({ model }) => ({ ...taskProbe(), llm: model }),
    value: ({ members: { llm: _llm, ...value } }) => value,
    isAbout: (_cell, exchange) => matchesLevelTemplate(exchange),
  };
}

/** V2 tasks with one option each. */
export interface OptionTasks {
  /** Probes of options that every model accepts; each request is refused for another reason. */
  probes: AcceptanceProbe<JobCell>[];
  /** Answer to a task with `thinking` true and a supported level. */
  thinking: Exchange;
  /** A pair that must be refused, sent right after `thinking`; undefined if `thinking` was not accepted. */
  refusedAfter: Exchange | undefined;
  /** `thinkingLevel` null. */
  nullLevel: Exchange;
}

/** A level that its model supports. */
const levelCell = { llm: 'svc-2.0', thinkingLevel: 'low' } as const;

/** Creates V2 tasks with the legacy member `thinking` and with the level null, and ends them at once. */
export const optionTasks: Scenario<OptionTasks> = {
  name: 'option-tasks',
  creates: 'two V2 tasks, which are stopped at once',
  spend: 'task',
  dispatches: 2,
  stateful: false,
  unavailable: (target) => unendable(target, 'task'),
  run: (context) =>
    context.live(async () => {
      const task = context.target.tasks.succeed;
      const probes = await probeAcceptance(context, optionTable());
      const { exchange: thinking } = await context.jobs.task.trial({ task, ...levelCell, thinking: true });
      const refusedAfter = succeeded(thinking) ? await sendRefusedCell(context, 'task', {}) : undefined;
      const { exchange: nullLevel } = await context.jobs.task.trial({ task, ...levelCell, thinkingLevel: null });
      return { probes, thinking, refusedAfter, nullLevel };
    }),
};

/** Returns the reason why a created job can neither be ended nor watched; undefined if it can. */
function unendable(target: Target, kind: JobKind): string | undefined {
  // A mock stores nothing, so no job needs an end.
  if (target.stateless || unwatchableReason(target, kind) === undefined) return undefined;
  return unstoppableReason(target, kind);
}

/** Values of modelParams that V4 must refuse, and the responses to them. */
export interface RunRefusals {
  /** Values that are not listed for a path, and any value for a model without paths. */
  cells: ProbeRecording<ParamCell>;
  /** Further cells in requests whose valid members differ. */
  varied: ProbeRecording<WithRest<ParamCell>>;
  /** A few of the cells, each sent twice. */
  repeated: ProbeRecording<ParamsCell>;
  /** Values that are no string, and listed values in another letter case. */
  oddValues: ProbeRecording<ParamsCell>;
  /** A listed value for one path, together with a value that another path does not list. */
  secondValues: ProbeRecording<ParamsCell>;
  /** A listed value with an unknown member. */
  extraMembers: ProbeRecording<ParamsCell>;
  /** Paths of models of another provider. */
  foreign: ProbeRecording<ParamCell>;
}

/** Sends every modelParams value that must be refused; records the responses. */
export const runRefusals: Scenario<RunRefusals> = {
  name: 'run-refusals',
  creates: 'nothing: every modelParams value that must be refused is sent',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  run: async (context) => {
    const [values, members] = [createCircuitBreaker(), createCircuitBreaker()];
    const sendAll = (cells: readonly ParamsCell[], breaker: CircuitBreaker): Promise<ProbeRecording<ParamsCell>> =>
      probeCells(cells, (cell) => send(context, cell), breaker);
    const varied = withRests(refusedParamCells(context.seed), 'v4', context.seed);
    return {
      cells: await probeCells(refusedParamCells(), (cell) => sendValue(context, cell), values),
      varied: await probeCells(varied, (cell) => sendValue(context, cell, cell.rest), values),
      repeated: await sendAll(repeatCells(refusedParamCells(), context.seed).map(asParams), values),
      oddValues: await sendAll(oddValueCells(context.seed), values),
      secondValues: await sendAll(secondValueCells(), values),
      foreign: await probeCells(foreignPathCells(), (cell) => sendValue(context, cell), members),
      extraMembers: await sendAll(extraMemberCells(context.seed), members),
    };
  },
};

function asParams({ key, model, path, value }: ParamCell): ParamsCell {
  return { key, model, modelParams: objectWith(path, value) };
}

function sendValue(
  context: ScenarioContext,
  { key, model, path, value }: ParamCell,
  rest?: RequestRest,
): Promise<Exchange> {
  return send(context, { key, model, modelParams: objectWith(path, value) }, rest);
}

function send(
  { resources, target }: ScenarioContext,
  { model, modelParams }: ParamsCell,
  rest: RequestRest = plainRest,
): Promise<Exchange> {
  const chosen = model === undefined ? { ...rest, without: ['model'] } : rest;
  const fault = { ...(model === undefined ? {} : { model }), modelParams };
  const body = bodyWithRest(runProbe(target), fault, chosen);
  return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
}
