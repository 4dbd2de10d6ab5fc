import { unendableReason } from '../../core/job-target.ts';
import { createCircuitBreaker, type CircuitBreaker, type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, objectWith } from '../../core/json.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { settleAll } from '../../core/outcome.ts';
import { levelCells, levelWords, unlisted } from '../../common/level-cells.ts';
import {
  extraMemberCells,
  foreignPathCells,
  oddValueCells,
  type ParamCell,
  type ParamsCell,
  refusedParamCells,
  type SecondValue,
  secondValueCells,
  twoWrongCells,
  type WrongPair,
} from '../../common/param-cells.ts';
import { probeCells, type ProbeRecording, repeatCells } from '../../common/probe-cells.ts';
import { type RequestRest, type WithRest, bodyWithRest, plainRest, withRests } from '../../common/request-rests.ts';
import { type AcceptanceProbe, probeAcceptance, type ProbedTable } from '../../common/acceptance-probes.ts';
import { matchesLevelTemplate } from '../../common/refusals.ts';
import { runProbe, taskProbe } from '../../common/probe-bodies.ts';
import { sendRefusedCell } from '../../common/one-shot-job.ts';
import { createMeeting, watchBeside, type WatchedJob } from '../../common/watched-jobs.ts';
import { type JobCell, taskTable } from './accepted-cells.ts';

/**
 * Returns requests with options that every V2 model must accept: a null level and `thinking` for each model that does
 * not support `disabled`, and each level together with `thinking` for one model that supports all levels.
 */
export function optionTable(): ProbedTable<JobCell> {
  const { control } = taskTable();
  const lacking = levelCells('v2').filter(({ level, accepted }) => level === 'disabled' && !accepted);
  const cells = lacking.flatMap(({ model }) => [
    { key: `${model} null`, model, plain: false, group: 0, members: { llm: model, thinkingLevel: null } },
    { key: `${model} thinking true`, model, plain: false, group: 0, members: { llm: model, thinking: true } },
  ]);
  const llm = leveledModel;
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

/** V2 tasks with one option each, which worked at the same time. */
export interface OptionTasks {
  /** Probes of options that every model accepts; each request is refused for another reason. */
  probes: AcceptanceProbe<JobCell>[];
  /** A task with `thinking` true and a supported level. */
  thinking: WatchedJob;
  /**
   * Request with a model and level that must be refused, sent right after `thinking` was created; undefined if the
   * creation of `thinking` was not accepted.
   */
  refusedAfter: Exchange | undefined;
  /** A task with both `thinkingLevel` null and `thinking` true. */
  nullLevel: WatchedJob;
}

/** A V2 model that supports every level. */
const leveledModel = 'svc-2.0';

/**
 * Probes options that every model accepts. Then creates two V2 tasks with the legacy member `thinking`: one with the
 * `thinkingLevel` "disabled", and one with the `thinkingLevel` null. Polls both tasks to their end.
 */
export const optionTasks: Scenario<OptionTasks> = {
  name: 'option-tasks',
  creates: 'two V2 tasks at the same time',
  spend: 'task',
  dispatches: 2,
  stateful: false,
  unavailable: (target) => unendableReason(target, 'task'),
  run: async (context) => {
    const probes = await probeAcceptance(context, optionTable());
    const meet = createMeeting(context);
    let refusedAfter: Exchange | undefined;
    const created = async (exchange: Exchange): Promise<void> => {
      if (succeeded(exchange)) refusedAfter = await sendRefusedCell(context, 'task', {});
    };
    const [thinking, nullLevel] = await settleAll([
      context.live(async () => {
        await meet();
        // The level that a service most easily takes for a contradiction.
        const members = { llm: leveledModel, thinkingLevel: 'disabled', thinking: true };
        const key = 'thinking true and the level disabled';
        return watchBeside(context, 'task', { key, number: 1, members, created });
      }),
      context.live(async () => {
        await meet();
        const members = { llm: leveledModel, thinkingLevel: null, thinking: true };
        return watchBeside(context, 'task', { key: 'thinking true and the level null', number: 2, members });
      }),
    ]);
    return { probes, thinking, refusedAfter, nullLevel };
  },
};

/** Values of modelParams that V4 must refuse, and the responses to them. */
export interface RunRefusals {
  /** Values that are not listed for a path, and any value for a model without paths. */
  cells: ProbeRecording<ParamCell>;
  /** Refused cells in requests with various valid members besides `modelParams`. */
  varied: ProbeRecording<WithRest<ParamCell>>;
  /** A few of the cells of `cells`, each sent twice. */
  repeated: ProbeRecording<ParamsCell>;
  /** Values of wrong types, and listed values with changed case, added or removed characters. */
  oddValues: ProbeRecording<ParamsCell>;
  /** A listed value for one path, together with a value that a second path of the model does not list. */
  secondValues: ProbeRecording<SecondValue>;
  /** Two wrong values in one request. */
  twoWrong: ProbeRecording<WrongPair>;
  /**
   * An unlisted model with a task of a wrong type, which is refused for the task in any case; ERR-01 reads the body of
   * the refusal.
   */
  unknownModel: ProbeRecording<JsonObject>;
  /** Members that no model has, alone or beside a listed value, and paths in another spelling or form. */
  extraMembers: ProbeRecording<ParamsCell>;
  /** Paths that belong to other models, with a value that is valid for those models. */
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
      secondValues: await probeCells(secondValueCells(), (cell) => send(context, cell), values),
      twoWrong: await probeCells(twoWrongCells(), (cell) => send(context, cell), values),
      unknownModel: await probeCells([{ model: unlisted, task: 7 }], (wrong) => sendMembers(context, wrong), values),
      foreign: await probeCells(foreignPathCells(), (cell) => sendValue(context, cell), members),
      extraMembers: await sendAll(extraMemberCells(context.seed), members),
    };
  },
};

function sendMembers({ resources, target }: ScenarioContext, members: JsonObject): Promise<Exchange> {
  const body = { ...runProbe(target), ...members };
  return resources.probe('run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body });
}

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
