import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused, succeeded, isCapacity } from '../../core/exchange.ts';
import { identifier, memberAt, toText, sameSet } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { JobRefused, JobWithoutId } from '../../common/observed-job.ts';
import { type LaterRun, type OneShotJob, oneShotTask, type SessionRefusals } from '../../common/one-shot-job.ts';
import {
  isEmptyParams,
  type JobCell,
  olderClaudeKeys,
  runCells,
  runTable,
  taskCells,
  taskTable,
} from './accepted-cells.ts';
import { type AcceptedJobs, acceptedRuns, acceptedTasks, type WatchedCell } from './scenarios-accepted.ts';
import { optionTable, optionTasks, runRefusals } from './scenarios-creation.ts';
import type { Scenario } from '../../core/scenario.ts';
import { type AcceptanceProbe, describeProbe, type ProbedTable, refusesCell } from '../../common/acceptance-probes.ts';
import type { ParamCell, SecondValue, WrongPair } from '../../common/param-cells.ts';
import { deriveCalls } from '../../properties/laws/observations.ts';
import { joinRecordings } from '../../common/probe-cells.ts';
import { expectIdentified, expectWorks, runScenarios } from '../../common/working-operations.ts';
import { getWrongMemberProbes } from '../errors/checks-malformed-input.ts';
import { wrongMembers } from '../errors/scenarios-wrong-members.ts';
import { withPlainRests } from '../../common/request-rests.ts';
import { show } from '../../core/text.ts';
import { hasCompleted, hasFailed, lastLook } from '../../common/watched-jobs.ts';
import { oneShotRun } from './scenarios.ts';
import {
  answeredWith422,
  errorLocations,
  expectRefused,
  otherLocation,
  paramTemplate,
  matchesParamTemplate,
  supportedList,
  collectTexts,
  listItems,
  namedValues,
  splitWords,
} from '../../common/refusals.ts';

/** Checks of requests that V2 task creation and V4 run creation must accept. */
export const createdJobChecks: readonly Check[] = [
  check('V2-TASK-01', { needs: [oneShotTask], phase: 'last' }, async (t) => {
    await runScenarios(t, oneShotTask);
    expectWorks(t, 'v2.createTask');
    expectIdentified(t, 'v2.createTask', { idIn: t.target.v2?.idIn ?? '', member: 'v2.idIn' });
    await created(t, oneShotTask, 'a task');
  }),
  check('V2-TASK-04', { needs: [oneShotTask] }, (t) => created(t, oneShotTask, 'no thinkingLevel')),
  check('V2-TASK-05', { needs: [optionTasks, wrongMembers] }, async (t) => {
    expectRefused(t, await getWrongMemberProbes(t, ({ member }) => member === 'thinking'), '422');
    accepted(t, (await t.recording(optionTasks)).thinking.created, 'thinking true');
    await optionsTaken(t, ({ members }) => 'thinking' in members);
  }),
  check('VER-08', { needs: [oneShotTask, optionTasks] }, async (t) => {
    await created(t, oneShotTask, 'no thinkingLevel');
    accepted(t, (await t.recording(optionTasks)).nullLevel.created, 'thinkingLevel null and thinking true');
    await optionsTaken(t, ({ members }) => 'thinkingLevel' in members);
    for (const probe of (await t.recording(optionTasks)).probes) omissionTaken(t, probe);
  }),
  check('V2-THINK-ACCEPTS', { needs: [acceptedTasks] }, (t) =>
    allAccepted(t, { ...taskTable(), scenario: acceptedTasks, isOne: () => true, size: taskCells.length }),
  ),
  check('V2-THINK-32', { needs: [acceptedTasks] }, (t) =>
    allAccepted(t, {
      ...taskTable(),
      scenario: acceptedTasks,
      isOne: ({ key }) => olderClaudeKeys.includes(key),
      size: olderClaudeKeys.length,
    }),
  ),
  check('V4-RUN-01', { needs: [oneShotRun], phase: 'last' }, async (t) => {
    await runScenarios(t, oneShotRun);
    expectWorks(t, 'v4.createRun');
    await created(t, oneShotRun, 'a task and a model');
  }),
  check('V4-RUN-25', { needs: [oneShotRun], phase: 'last' }, async (t) => {
    for (const exchange of new Set([await answerWithId(t), ...acceptedCreations(t)])) {
      const id = memberAt(exchange.json, 'id');
      const message = `the answer to run creation has the id ${show(id)}; expected a run object with an id`;
      t.expect(identifier(id) !== undefined, { exchange, message });
    }
  }),
  check('V4-PARAMS-33', { needs: [oneShotRun] }, (t) => created(t, oneShotRun, 'no modelParams')),
  check('V4-PARAMS-36', { needs: [oneShotRun] }, async (t) => {
    const { follower } = (await t.recording(oneShotRun)).interrupted();
    if (follower === undefined) return t.notTestable('the answer to the creation names no session (sessionId)');
    const { created: exchange, model } = follower;
    if (exchange.status === 0 || (!succeeded(exchange) && exchange.status !== 422))
      t.notTestable(`a later run of a session without modelParams ${describeAnswer(exchange)}`);
    const message = `a later run of a session with the model ${model} and without modelParams ${describeAnswer(exchange)}: ${exchange.body.slice(0, 160)}; expected that the modelParams of the earlier run do not apply`;
    return t.expect(!matchesParamTemplate(exchange, model), { exchange, message });
  }),
  check('V4-PARAMS-34', { needs: [oneShotRun] }, async (t) => {
    const { created: exchange, bare } = await laterRun(t);
    if (bare === undefined || !succeeded(bare)) return accepted(t, exchange, 'empty modelParams');
    if (!succeeded(exchange) && ![400, 422].includes(exchange.status))
      t.notTestable(`empty modelParams in a later run of a session ${describeAnswer(exchange)}`);
    const message = `empty modelParams in a later run of a session ${describeAnswer(exchange)}, and the same request without them was accepted; expected that both are accepted`;
    return t.expect(succeeded(exchange), { exchange, message });
  }),
  check('V2-THINK-33', { needs: [oneShotTask] }, async (t) => {
    const { cell, unlisted } = await requireRefusals(t, oneShotTask);
    refusedInSession(t, cell, 'an unsupported level');
    if (unlisted !== undefined) refusedInSession(t, unlisted, 'the thinkingLevel xhigh');
  }),
  check('V4-SES-11', { needs: [oneShotRun] }, async (t) => {
    const { cell, ofEarlier } = await requireRefusals(t, oneShotRun);
    refusedInSession(t, cell, 'an unsupported value');
    if (ofEarlier === undefined) return;
    const { exchange, cell: other } = ofEarlier;
    refusedInSession(t, exchange, `${other.key}, which only the model of the earlier run supports,`);
    const list = supportedList(exchange, paramTemplate(other.model, other.path, other.value));
    const want = sorted(other.supported);
    const message = `a refused run for an existing session has the text ${found(collectTexts(exchange))}; expected the template with the list "${want}"`;
    const holds = list !== undefined && listItems(list).join(', ') === want;
    t.expect(holds, { exchange, member: '/detail', message });
  }),
  check('V4-SES-12', { needs: [oneShotRun] }, async (t) => {
    const { withoutTask } = await requireRefusals(t, oneShotRun);
    if (withoutTask === undefined) return t.notTestable('no run without a task was sent');
    return refusedInSession(t, withoutTask, 'a run without a task');
  }),
  check('V2-THINK-34', { needs: [optionTasks] }, async (t) =>
    refusedAfterwards(t, (await t.recording(optionTasks)).refusedAfter),
  ),
  check('V4-PARAMS-35', { needs: [oneShotRun] }, async (t) => refusedAfterwards(t, (await laterRun(t)).refusedAfter)),
  check('V4-PARAMS-ACCEPTS', { needs: [acceptedRuns] }, (t) =>
    allAccepted(t, {
      ...runTable(t.target),
      scenario: acceptedRuns,
      isOne: (cell) => !cell.plain && !isEmptyParams(cell),
      size: runCells.filter(({ plain }) => !plain).length,
    }),
  ),
  check('V4-MODELS-ACCEPTED', { needs: [acceptedRuns, oneShotRun] }, (t) => modelsAccepted(t)),
];

async function created(t: CheckContext, scenario: Scenario<OneShotJob>, what: string): Promise<void> {
  try {
    accepted(t, (await t.recording(scenario)).dispatched, what);
  } catch (error) {
    if (error instanceof JobWithoutId) t.expect(true, { message: what });
    else if (error instanceof JobRefused) accepted(t, error.exchange, what);
    else throw error;
  }
}

/** Judges that a request without a level is not refused with 422 if the same request with a null level is not. */
function omissionTaken(t: CheckContext, { cell, without, exchange }: AcceptanceProbe<JobCell>): void {
  const isTaken = refused(exchange) && exchange.status !== 422 && !isCapacity(exchange.status);
  if (!isTaken || cell.members['thinkingLevel'] !== null) return;
  const message = `a V2 task with the model ${cell.model} and without thinkingLevel ${describeAnswer(without)}, and with thinkingLevel null ${describeAnswer(exchange)}; expected that the level may be omitted`;
  t.expect(without.status !== 422, { cell: `${cell.model} without a level`, exchange: without, message });
}

async function optionsTaken(t: CheckContext, isOne: (cell: JobCell) => boolean): Promise<void> {
  const { isAbout } = optionTable();
  for (const probe of (await t.recording(optionTasks)).probes.filter(({ cell }) => isOne(cell))) {
    const { cell, exchange } = probe;
    t.expect(!refusesCell(probe, isAbout), { cell: cell.key, exchange, message: describeProbe(probe) });
  }
}

async function requireRefusals(t: CheckContext, scenario: Scenario<OneShotJob>): Promise<SessionRefusals> {
  const { refusals } = await t.recording(scenario);
  return refusals ?? t.notTestable('the answer to the creation names no session (sessionId)');
}

async function laterRun(t: CheckContext): Promise<LaterRun> {
  return (await t.recording(oneShotRun)).later ?? t.notTestable('no run with empty modelParams was sent');
}

/** Statuses for a session that accepts no task at present, whatever the task is. */
const sessionStates: readonly number[] = [404, 409, 410];

function refusedInSession(t: CheckContext, refusal: Exchange, what: string): void {
  if (sessionStates.includes(refusal.status) || (isCapacity(refusal.status) && refusal.status !== 403))
    t.notTestable(`the existing session takes no further task: ${what} ${describeAnswer(refusal)}`);
  const message = `${what} for an existing session ${describeAnswer(refusal)}; expected a refusal with 422`;
  t.expect(refusal.status === 422, { exchange: refusal, message });
}

function refusedAfterwards(t: CheckContext, refusal: Exchange | undefined): void {
  if (refusal === undefined) t.notTestable('the creation before it was not accepted');
  if (isCapacity(refusal.status)) t.notTestable(`a creation right after an accepted one ${describeAnswer(refusal)}`);
  const message = `an unsupported value right after an accepted creation ${describeAnswer(refusal)}; expected a refusal with 422`;
  t.expect(refusal.status === 422, { exchange: refusal, message });
}

/**
 * Judges that a creation is accepted. Ends the check as not testable if the response is about capacity (`isCapacity`)
 * and not about the request.
 */
function accepted(t: CheckContext, exchange: Exchange, what: string): void {
  // An exhausted budget, a missing right or a full queue is not about the request.
  if (isCapacity(exchange.status)) t.notTestable(`a request with ${what} ${describeAnswer(exchange)}`);
  const message = `a request with ${what} ${describeAnswer(exchange)}; expected that it is accepted`;
  t.expect(succeeded(exchange), { exchange, message });
}

async function answerWithId(t: CheckContext): Promise<Exchange> {
  try {
    return (await t.recording(oneShotRun)).dispatched;
  } catch (error) {
    if (error instanceof JobWithoutId) return error.exchange;
    throw error;
  }
}

/** Returns the successful creations of V4 runs in the recording. */
function acceptedCreations(t: CheckContext): Exchange[] {
  const isCreation = ({ generation, operation }: Exchange): boolean => generation === 'v4' && operation === 'createRun';
  return t.recorder.all().filter((exchange) => isCreation(exchange) && succeeded(exchange));
}

/**
 * Judges that the answer to the creation of a run, and each of its records, shows no other listed model than the
 * request named. The name gpt-5.6 may stand for one of its variants.
 */
function showsModels(t: CheckContext): void {
  const listed = runCells.filter(({ plain }) => plain).map(({ model }) => model);
  const creations = acceptedCreations(t).map((exchange) => ({ exchange, sent: requestObject(exchange)['model'] }));
  const sentById = new Map(creations.map(({ exchange, sent }) => [identifier(memberAt(exchange.json, 'id')), sent]));
  const isRecord = ({ generation, operation }: Exchange): boolean => generation === 'v4' && operation === 'getRun';
  const records = t.recorder
    .all()
    .filter((exchange) => isRecord(exchange) && succeeded(exchange))
    .map((exchange) => ({ exchange, sent: sentById.get(identifier(memberAt(exchange.json, 'id'))) }));
  for (const { exchange, sent } of [...creations, ...records]) {
    const shown = memberAt(exchange.json, 'model');
    const isOther = typeof sent === 'string' && shown !== sent && listed.some((model) => model === shown);
    const message = `a run that was created with the model ${show(sent)} shows ${show(shown)}; expected that model`;
    t.expect(!isOther || sent === 'gpt-5.6', { cell: toText(sent), exchange, member: '/model', message });
  }
}

/** The cells of one table that a single requirement covers. */
interface Table {
  scenario: Scenario<AcceptedJobs>;
  isOne: (cell: JobCell) => boolean;
  /** Number of cells that the requirement covers. */
  size: number;
  isAbout: ProbedTable<JobCell>['isAbout'];
}

/**
 * Judges that every cell of a table is accepted. A cell that was sent with a task is judged only by the response to its
 * creation.
 */
async function allAccepted(t: CheckContext, { scenario, isOne, size, isAbout }: Table): Promise<void> {
  const { cells, probes, watched } = await t.recording(scenario);
  const sent = cells.filter(({ cell }) => isOne(cell));
  const seen = new Set(sent.flatMap(({ cell: { key, covers = [key] } }) => covers));
  const probed = probes.filter(({ cell }) => isOne(cell) && !seen.has(cell.key));
  t.cellTotal(Math.max(size, sent.length + probed.length), notDrawn);
  if (sent.length + probed.length === 0)
    t.notRun('no cell of it was drawn; --max-dispatches and --matrix full draw more');
  for (const { cell, exchange } of wanted(t, sent))
    for (const key of succeeded(exchange) ? (cell.covers ?? [cell.key]) : [cell.key]) judgeCell(t, key, exchange);
  for (const one of watched) worksWithValue(t, one);
  for (const probe of wanted(t, probed)) {
    t.expect(!refusesCell(probe, isAbout), {
      cell: probe.cell.key,
      exchange: probe.exchange,
      message: describeProbe(probe),
    });
  }
}

/**
 * Judges that a value does not make two jobs fail, one after the other, if a job with the same model and without the
 * value completes.
 */
function worksWithValue(t: CheckContext, { cell, job, again, plain }: WatchedCell): void {
  if (again === undefined || plain === undefined || !hasFailed(t, job)) return;
  const [first, second] = [lastLook(job), lastLook(again)];
  const message = `two jobs with ${cell.key} ended as ${show(first?.status)} and ${show(second?.status)}, and one with the model ${plain.key} completed; expected that the value is accepted`;
  const isLost = hasFailed(t, again) && hasCompleted(plain);
  t.expect(!isLost, { cell: cell.key, ...(second === undefined ? {} : { exchange: second.exchange }), message });
}

const notDrawn = 'the rest was not drawn, or met an answer that says nothing of the request';

function wanted<P extends { cell: JobCell }>(t: CheckContext, sent: readonly P[]): readonly P[] {
  return sent.filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell.key);
}

function judgeCell(t: CheckContext, cell: string, exchange: Exchange): void {
  if (!succeeded(exchange) && isCapacity(exchange.status)) return;
  const message = `${cell} ${describeAnswer(exchange)}; expected that it is accepted`;
  t.expect(succeeded(exchange), { cell, exchange, message });
}

/**
 * Judges that every V4 model is accepted. An accepted run with modelParams shows that its model is accepted; a refusal
 * may be about modelParams.
 */
async function modelsAccepted(t: CheckContext): Promise<void> {
  const { cells, probes } = await t.recording(acceptedRuns);
  const probed = probes.map(({ cell, without, exchange }) => ({ cell, exchange: cell.plain ? exchange : without }));
  const models = probed.filter(
    ({ cell: { model } }, index) =>
      probed.findIndex(({ cell }) => cell.model === model) === index &&
      (t.only?.cell === undefined || t.only.cell === model),
  );
  // All these requests have the same unknown id. A 422 for some models only is about the model.
  const other = probed.find(({ exchange }) => refused(exchange) && exchange.status !== 422);
  for (const { cell, exchange } of other === undefined ? [] : models) {
    const message = `a run with the model ${cell.model} ${describeAnswer(exchange)}, and with ${other?.cell.model} ${describeAnswer(other?.exchange ?? exchange)}; expected that the model is accepted`;
    t.expect(exchange.status !== 422, { cell: cell.model, exchange, message });
  }
  const names = runCells.filter(({ plain }) => plain).map(({ model }) => model);
  showsModels(t);
  t.cellTotal(names.length, notDrawn);
  const tellings = names.flatMap((name) => {
    const sent = cells.filter(({ cell }) => cell.model === name);
    const telling = sent.find(({ exchange }) => succeeded(exchange)) ?? sent.find(({ cell }) => cell.plain);
    return telling === undefined || (t.only?.cell !== undefined && t.only.cell !== name) ? [] : [{ name, telling }];
  });
  if (tellings.length + models.length === 0)
    t.notRun('the runs that were sent say nothing of a model; --max-dispatches and --matrix full send more');
  for (const { name, telling } of tellings) judgeCell(t, name, telling.exchange);
}

/** Checks of modelParams of V4 that must be refused, and of the refusal text. */
export const runRefusalChecks: readonly Check[] = [
  check('V4-PARAMS-REFUSES', { needs: [runRefusals], phase: 'last' }, async (t) => {
    await valuesRefused(t);
    await valuesNeverAccepted(t);
  }),
  check('ERR-08', { needs: [runRefusals] }, (t) => valuesRefused(t)),
  check('V4-PARAMS-27', { needs: [runRefusals] }, async (t) => {
    const { foreign, extraMembers } = await t.recording(runRefusals);
    expectRefused(t, joinRecordings<{ key: string }>(foreign, extraMembers), '422');
  }),
  check('ERR-12', { needs: [runRefusals] }, async (t) => {
    const { cells, varied, foreign, twoWrong, secondValues } = await t.recording(runRefusals);
    for (const { cell, exchange } of answeredWith422(t, twoWrong.probes)) namesPairs(t, cell, exchange);
    for (const { cell, exchange } of secondValues.probes) {
      namesPairs(t, cell, exchange);
      locatesWrongPath(t, cell, exchange);
    }
    for (const { cell, exchange } of answeredWith422(t, [...cells.probes, ...withPlainRests(varied.probes)])) {
      const other = otherLocation(exchange, ['model', 'modelParams', ...cell.path.split('.')]);
      const message = `${cell.key} was refused with a loc that names ${other}; expected the location of the offending input`;
      t.expect(other === undefined, { cell: cell.key, exchange, member: '/detail', message });
    }
    for (const { cell, exchange } of answeredWith422(t, [
      ...cells.probes,
      ...withPlainRests(varied.probes),
      ...foreign.probes,
    ])) {
      if (isInOwnWords(cell, exchange)) continue;
      const list = supportedList(exchange, paramTemplate(cell.model, cell.path, cell.value));
      const isListed = list !== undefined && (cell.supported.length === 0 || sameSet(splitWords(list), cell.supported));
      t.expect(isListed || namesGroup(cell, exchange), {
        cell: cell.key,
        exchange,
        member: '/detail',
        message: () =>
          `expected Model "${cell.model}" does not support modelParams.${cell.path}='${cell.value}'. Supported values: ${sorted(cell.supported)}; found ${found(collectTexts(exchange))}`,
      });
    }
  }),
  check('ERR-13', { needs: [runRefusals] }, async (t) => {
    const { cells } = await t.recording(runRefusals);
    for (const { cell, exchange } of answeredWith422(t, cells.probes)) {
      if (isInOwnWords(cell, exchange)) continue;
      const isNamed = collectTexts(exchange).some((text) => text.includes(`modelParams.${cell.path}`));
      const message = (): string =>
        `expected a text that names modelParams.${cell.path}; found ${found(collectTexts(exchange))}`;
      t.expect(isNamed || namesGroup(cell, exchange), { cell: cell.key, exchange, member: '/detail', message });
    }
  }),
  check('ERR-14', { needs: [runRefusals] }, async (t) => {
    let judged = false;
    const { cells } = await t.recording(runRefusals);
    for (const { cell, exchange } of answeredWith422(t, cells.probes)) {
      const list = supportedList(exchange, paramTemplate(cell.model, cell.path, cell.value));
      if (cell.supported.length === 0 || list === undefined) continue;
      const message = `expected "${sorted(splitWords(list))}", comma-separated and alphabetical; found "${list}"`;
      t.expect(listItems(list).join() === splitWords(list).toSorted().join(), {
        cell: cell.key,
        exchange,
        member: '/detail',
        message,
      });
      judged = true;
    }
    if (!judged) t.notTestable('no refusal had a list of values behind the words of the template');
  }),
];

/**
 * Returns true if the model does not have the path, and the refusal does not use the template. The template lists the
 * supported values of a path; a path that the model does not have has no such values.
 */
function isInOwnWords({ supported }: ParamCell, exchange: Exchange): boolean {
  return supported.length === 0 && namedValues(exchange).length === 0;
}

/**
 * Returns true if the model does not have the path, and the refusal names a parent of the path with any value, such as
 * `reasoning` for `reasoning.effort`. The contract does not state a list of supported values for a parent.
 */
function namesGroup({ model, path, supported }: ParamCell, exchange: Exchange): boolean {
  const isOf = (group: string): boolean => path.startsWith(`${group}.`);
  return supported.length === 0 && namedValues(exchange).some((named) => named.model === model && isOf(named.path));
}

/**
 * Judges the refusal of two wrong values: each path that the refusal names must have its own wrong value and its own
 * list of supported values. The refusal may name only one of the two paths.
 */
function namesPairs(t: CheckContext, { key, model, pairs }: WrongPair, exchange: Exchange): void {
  for (const named of namedValues(exchange)) {
    const isPair = pairs.some(
      ({ path, value, supported }) =>
        named.path === path && named.value === value && sameSet(splitWords(named.list), supported),
    );
    const message = `a refusal of ${key} names modelParams.${named.path}='${named.value}' with the values ${named.list} for the model ${named.model}; expected a path with its own value and list`;
    t.expect(isPair && named.model === model, { cell: key, exchange, member: '/detail', message });
  }
}

/**
 * Judges the locations of a refusal of two values, of which one is listed and one is wrong. A violation is a location
 * that names the path of the listed value while no location names the path of the wrong value. Locations that name
 * neither path are accepted, because their spelling may differ.
 */
function locatesWrongPath(t: CheckContext, { key, pairs, listedPath }: SecondValue, exchange: Exchange): void {
  const names = errorLocations(exchange).map((loc) => loc.flatMap((part) => toText(part).split('.')));
  const isNamed = (path: string): boolean =>
    names.some((parts) => path.split('.').every((segment) => parts.includes(segment)));
  const isElsewhere = isNamed(listedPath) && !pairs.some(({ path }) => isNamed(path));
  const message = `${key} was refused with a loc that names modelParams.${listedPath}, which has a listed value; expected the location of the offending input`;
  t.expect(!isElsewhere, { cell: key, exchange, member: '/detail', message });
}

async function valuesRefused(t: CheckContext): Promise<void> {
  const { cells, varied, repeated, oddValues, secondValues, twoWrong } = await t.recording(runRefusals);
  expectRefused(t, joinRecordings<{ key: string }>(cells, varied, repeated, oddValues, secondValues, twoWrong), '422');
}

/**
 * Judges that no other scenario has created a run with a value that is refused alone, whatever else the body had. Further
 * requirements judge runs that continue a session.
 */
async function valuesNeverAccepted(t: CheckContext): Promise<void> {
  const { probes } = (await t.recording(runRefusals)).cells;
  const refusedCells = probes.flatMap(({ cell, exchange }) => (refused(exchange) ? [cell] : []));
  for (const { operation, exchange } of deriveCalls(t)) {
    if (operation !== 'v4.createRun' || exchange.sentBy === runRefusals.name || !succeeded(exchange)) continue;
    const { model, modelParams, sessionId = null } = requestObject(exchange);
    if (sessionId !== null) continue;
    const cell = refusedCells.find((one) => one.model === model && memberAt(modelParams, one.path) === one.value);
    if (cell === undefined) continue;
    const message = `${cell.key} ${describeAnswer(exchange)} beside other members; expected 422`;
    t.expect(false, { cell: `${cell.key} beside other members`, exchange, message });
  }
}

function sorted(values: readonly string[]): string {
  return values.length === 0 ? '<any list>' : values.toSorted().join(', ');
}

function found(texts: readonly string[]): string {
  return texts.length === 0 ? 'no text' : JSON.stringify(texts.join(' | ').slice(0, 300));
}
