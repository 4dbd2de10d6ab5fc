import type { RequirementId } from '#generated/requirements.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { isJsonObject, type JsonValue, memberAt, toText, isSame, sameSet } from '../../core/json.ts';
import { emptySession } from '../v3-sessions/scenarios-empty.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import type { JobKind } from '../../core/job-target.ts';
import { freeRequest } from '../../common/free-requests.ts';
import { type LevelCell, levelWords } from '../../common/level-cells.ts';
import type { Probed } from '../../common/probe-cells.ts';
import { withPlainRests } from '../../common/request-rests.ts';
import { sessionRefusals } from '../v3-sessions/scenarios-refusals.ts';
import { taskRefusals } from '../v2-tasks/scenarios.ts';
import {
  answeredWith422,
  errorLocations,
  levelTemplate,
  listItems,
  namedProvider,
  otherLocation,
  supportedList,
  collectTexts,
  splitWords,
} from '../../common/refusals.ts';
import { refusedChanges } from './scenarios.ts';
import { refusalSideEffects } from './scenarios-side-effects.ts';
import { refusedCreations } from './scenarios-refused-creations.ts';
import { show } from '../../core/text.ts';
import { type InterruptedJob, interruptedTask, oneShotRun, uninterruptibleReason } from '../v4-runs/scenarios.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';

/** Checks of the shape of every 422 body in the run. */
export const errorBodyChecks: readonly Check[] = [
  ofRefusals('ERR-01', (t) => {
    for (const exchange of refusalsSeen(t)) {
      const detail = isJsonObject(exchange.json) ? exchange.json['detail'] : null;
      const message = `expected a JSON object whose detail is an array or absent; found ${exchange.body.slice(0, 200)}`;
      t.expect(detail === undefined || Array.isArray(detail), { exchange, message });
    }
  }),
  ofRefusals('ERR-02', (t) => {
    eachElement(t, 'loc', isLocation);
    locatesInputs(t);
  }),
  ofRefusals('ERR-03', (t) => eachElement(t, 'msg', (value) => typeof value === 'string')),
  ofRefusals('ERR-04', (t) => eachElement(t, 'type', (value) => typeof value === 'string')),
];

/**
 * Creates a check of all 422 responses of the run. It first sends one free request for each generation, which is
 * usually refused, because a check that runs alone finds no other 422 response.
 */
function ofRefusals(id: RequirementId, judge: (t: CheckContext) => void): Check {
  return check(id, { phase: 'last', reads: true, early: judge }, async (t) => {
    const specs = t.generations.map((generation) => freeRequest(t, generation)).filter((spec) => spec !== undefined);
    await Promise.all(specs.map((spec) => t.send(spec)));
    judge(t);
  });
}

function refusalsSeen(t: CheckContext): readonly Exchange[] {
  const seen = distinctRefusals(t);
  if (seen.length === 0) t.notTestable('no answer had the status 422');
  return seen;
}

const distinctRefusals = deriveOnce((t): readonly Exchange[] =>
  onePerText(t.recorder.all().filter(({ status, generation }) => status === 422 && generation !== 'other')),
);

/** Returns one refusal for each operation and shape of the body. Hundreds of refusals differ only in their text. */
function onePerText(exchanges: readonly Exchange[]): Exchange[] {
  return [...new Map(exchanges.map((item) => [`${item.operation} ${describeShape(item.json)}`, item])).values()];
}

function describeShape(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map((item) => describeShape(item)))].join()}]`;
  if (!isJsonObject(value)) return value === null ? 'null' : typeof value;
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}:${describeShape(inner)}`)
    .join()}}`;
}

function eachElement(t: CheckContext, member: string, holds: (value: JsonValue | undefined) => boolean): void {
  const elements = refusalsSeen(t).flatMap((exchange) => {
    const detail = isJsonObject(exchange.json) ? exchange.json['detail'] : undefined;
    return Array.isArray(detail) ? detail.map((element) => ({ exchange, element })) : [];
  });
  if (elements.length === 0) t.notTestable('no 422 body had a detail array with an element');
  for (const { exchange, element } of elements) {
    const value = isJsonObject(element) ? element[member] : undefined;
    const message = `expected ${member} as the contract has it in each element of detail; found ${JSON.stringify(element).slice(0, 200)}`;
    t.expect(holds(value), { exchange, message });
  }
}

function isLocation(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || Number.isInteger(item));
}

/**
 * Minimum number of error locations of one operation. With fewer locations, the check does not judge whether all of
 * them are empty.
 */
const locatedMin = 3;

/**
 * Judges that no location contains an empty name, that the refusal of a GET without a body names no location in a body,
 * and that the refusals of an operation do not all have an empty location.
 */
function locatesInputs(t: CheckContext): void {
  const all = t.recorder.all().filter(({ status, generation }) => status === 422 && generation !== 'other');
  for (const exchange of all) {
    const isNameless = errorLocations(exchange).some((loc) => loc.includes(''));
    const message = `${exchange.operation} was refused with an empty name in loc; expected the location of the offending input`;
    t.expect(!isNameless, { cell: exchange.operation, exchange, member: '/detail', message });
  }
  for (const exchange of all.filter(({ request }) => request.method === 'GET' && (request.body ?? '') === '')) {
    const isInBody = errorLocations(exchange).some(([part]) => part === 'body');
    const message = `${exchange.operation} without a body was refused with a location in the body; expected the location of the offending input`;
    t.expect(!isInBody, { cell: exchange.operation, exchange, member: '/detail', message });
  }
  for (const [operation, refusals] of Map.groupBy(all, (one) => `${one.generation} ${one.operation}`)) {
    const locations = refusals.flatMap((exchange) => errorLocations(exchange));
    const isNever = locations.length >= locatedMin && locations.every((loc) => loc.length === 0);
    const message = `${locations.length} refusals of ${operation} have an empty loc; expected the location of the offending input`;
    t.expect(!isNever, { cell: operation, exchange: refusals[0], member: '/detail', message });
  }
}

const needs = [sessionRefusals, taskRefusals];

/** Checks of the error text for a refused model and level in V2 and V3. */
export const levelTextChecks: readonly Check[] = [
  check('ERR-09', { needs }, async (t) => {
    for (const { cell, exchange } of await refusedPairs(t)) {
      const named = collectTexts(exchange).some((text) => /\bthinking_level\b/.test(text));
      t.expect(named, {
        cell: cell.key,
        exchange,
        member: '/detail',
        message: () => `expected a text that names thinking_level; found ${found(exchange)}`,
      });
    }
  }),
  check('ERR-10', { needs }, async (t) => {
    for (const { cell, exchange } of await refusedPairs(t)) {
      const template = levelTemplate(cell.names, cell.level);
      const list = supportedList(exchange, template);
      const isListed = list !== undefined && listsSupported(cell, splitWords(list));
      t.expect(isListed, {
        cell: cell.key,
        exchange,
        member: '/detail',
        message: () =>
          `expected Model "${cell.model}" (provider "<provider>") does not support thinking_level="${cell.level}". Supported values: ${cell.supported.join(', ') || '<no level>'}; found ${found(exchange)}`,
      });
      const provider = namedProvider(exchange, template)?.toLowerCase() ?? '';
      const isOther = noProviders.includes(provider) || (otherMakers[cell.provider] ?? []).includes(provider);
      const other = `the text about ${cell.model} names the provider "${provider}", which makes none of its kind; expected the provider of the model`;
      t.expect(!isOther, { cell: cell.key, exchange, member: '/detail', message: other });
      const place = otherLocation(exchange, ['llm', 'model', 'thinkingLevel']);
      const elsewhere = `${cell.key} was refused with a loc that names ${place}; expected the location of the offending input`;
      t.expect(place === undefined, { cell: cell.key, exchange, member: '/detail', message: elsewhere });
    }
  }),
  check('ERR-11', { needs }, async (t) => {
    let judged = false;
    for (const { cell, exchange } of await refusedPairs(t)) {
      const list = supportedList(exchange, levelTemplate(cell.names, cell.level));
      if (cell.supported.length < 2 || list === undefined) continue;
      const message = `expected the levels separated by commas; found "${list}"`;
      t.expect(sameSet(listItems(list), splitWords(list)), { cell: cell.key, exchange, member: '/detail', message });
      judged = true;
    }
    if (!judged) t.notTestable('no refusal had a list of levels behind the words of the template');
  }),
];

/**
 * Returns true if `words`, the list in a refusal, are the levels that the model supports. For a model without levels
 * the contract gives no example, so any list without a level is accepted.
 */
function listsSupported({ supported }: LevelCell, words: readonly string[]): boolean {
  if (supported.length > 0) return sameSet(words, supported);
  return words.every((word) => !levelWords.some((level) => level === word));
}

/**
 * For each provider, companies that do not serve its models: a refusal about such a model must not name these
 * companies. `google` is not listed for `anthropic`, because a cloud platform may serve models of other companies.
 */
const otherMakers: Readonly<Record<string, readonly string[]>> = {
  openai: ['google', 'anthropic'],
  google: ['openai', 'anthropic'],
  anthropic: ['openai'],
};

/** Words that programs print in place of a missing value. */
const noProviders: readonly string[] = ['null', 'undefined', 'none', 'nan'];

async function refusedPairs(t: CheckContext): Promise<Probed<LevelCell>[]> {
  const v3 = t.target.v3 === null ? undefined : await t.recording(sessionRefusals);
  const v2 = t.target.v2 === null ? undefined : await t.recording(taskRefusals);
  const recorded = [v3, v2].flatMap((one): Probed<LevelCell>[] =>
    one === undefined ? [] : [...one.cells.probes, ...withPlainRests(one.varied.probes)],
  );
  return answeredWith422(
    t,
    recorded.filter((probe) => !maybeOtherReason(probe)),
  );
}

/**
 * Returns true if a refusal may concern the missing own key instead of the level. The contract does not state the order
 * of validation.
 */
function maybeOtherReason({ cell, exchange }: Probed<LevelCell>): boolean {
  return cell.ownKey && !collectTexts(exchange).some((text) => text.includes('thinking'));
}

function found(exchange: Probed<LevelCell>['exchange']): string {
  const texts = collectTexts(exchange);
  return texts.length === 0 ? 'no text' : JSON.stringify(texts.join(' | ').slice(0, 300));
}

/** Checks that a refused creation leaves no resource behind. */
export const refusalSideEffectChecks: readonly Check[] = [
  check('ERR-15', { needs: [refusalSideEffects], phase: 'last' }, (t) => nothingAppeared(t)),
  check('MAP-01', { needs: [refusalSideEffects], phase: 'last' }, (t) => nothingAppeared(t)),
];

/**
 * Omits the ids of resources that this run may have created: ids in the ledger, and ids in successful answers to POST
 * requests or to requests about a resource of the run. Other scenarios create resources at the same time, and a
 * creation may create a second resource, for example a task and its session.
 */
function withoutOwn(t: CheckContext, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const own = t.ledger.entries().flatMap(({ id }) => (id === undefined ? [] : [id]));
  const answers = t.recorder
    .all()
    .filter(({ request }) => request.method === 'POST' || own.some((id) => request.url.includes(id)));
  const isNamed = (id: string): boolean => answers.some((one) => succeeded(one) && one.body.includes(id));
  return ids.filter((id) => !own.includes(id) && !isNamed(id));
}

async function nothingAppeared(t: CheckContext): Promise<void> {
  const effects = await t.recording(refusalSideEffects);
  const seen = effects.filter(({ appeared }) => appeared !== undefined);
  if (seen.length === 0)
    t.notTestable('the target offers no list of sessions or tasks (v2.list, v3.list), or other clients fill it');
  for (const { generation, exchange, appeared } of seen) {
    const [first = 0, second = 0] = (appeared ?? []).map((ids) => withoutOwn(t, ids).length);
    t.expect(Math.min(first, second) === 0, {
      cell: generation,
      exchange,
      message: `${first} and then ${second} things appeared in the ${generation} list while refused pairs were sent; expected none`,
    });
  }
}

/** Returns the kinds of jobs that the target can end while they work. */
function interruptibleKinds(target: Target): JobKind[] {
  return (['task', 'run'] as const).filter((kind) => uninterruptibleReason(target, kind) === undefined);
}

function stoppingScenarios(target: Target): readonly AnyScenario[] {
  return interruptibleKinds(target).map((kind) => (kind === 'task' ? interruptedTask : oneShotRun));
}

async function getInterrupted(t: CheckContext, kind: JobKind): Promise<InterruptedJob> {
  return kind === 'task' ? t.recording(interruptedTask) : (await t.recording(oneShotRun)).interrupted();
}

/** Checks that a refused request has no effect, per operation. */
export const refusedEffectChecks: readonly Check[] = [
  check('EFFECT-01', { needs: [refusedCreations], phase: 'last' }, async (t) => {
    for (const { operation, exchange, appeared } of await t.recording(refusedCreations)) {
      const rounds = appeared.map((ids) => withoutOwn(t, ids));
      // Other clients may create resources too, but rarely in both rounds.
      const made = rounds.every((ids) => ids.length > 0);
      const message = `${operation} was refused (${describeAnswer(exchange)}), and ${show(rounds.at(-1)?.[0] ?? null)} appeared in its lists; expected no new resource`;
      t.expect(!made, { cell: operation, exchange, message });
    }
  }),
  check('EFFECT-03', { needs: [emptySession] }, async (t) => {
    const { untouched, end } = await t.recording(emptySession);
    const was = toText(end.record['status']);
    const status = toText(untouched?.record['status']);
    const isLeft = untouched !== undefined && (status === was || !['stopped', 'error'].includes(status));
    const message = `requests without a usable key have tried to stop and to delete a session that was ${was}, and it is ${untouched === undefined ? 'unknown' : status}; expected that they change nothing`;
    t.expect(isLeft, { exchange: untouched?.exchange ?? end.exchange, message });
  }),
  check('EFFECT-05', { needs: [emptySession] }, async (t) => {
    const { afterRefusals } = await t.recording(emptySession);
    const shown = afterRefusals.map(({ seen }) => toText(seen.record['model']));
    if (shown.length < 2) t.notTestable('a creation was not refused, or no session could be created after it');
    // One session could show the model of the refused creation because it is the default. Two models cannot both be the
    // default.
    const isTaken = afterRefusals.every(({ model }, index) => shown[index] === model);
    const message = `two sessions without a model show ${shown.join(' and ')}, each the model of the refused creation before it; expected that a refused creation has no effect`;
    t.expect(!isTaken, { exchange: afterRefusals.at(-1)?.seen.exchange, member: '/model', message });
  }),
  check('EFFECT-04', { needs: stoppingScenarios }, async (t) => {
    const judgedKinds = [];
    for (const kind of interruptibleKinds(t.target)) {
      const { keyless, before } = await getInterrupted(t, kind);
      if (keyless === undefined || keyless.phase === 'unknown') continue;
      const message = `a ${kind} that worked is ${show(keyless.status)} after a request to stop it that carried no key; expected that it goes on`;
      t.expect(keyless.phase !== 'ended', { exchange: before.exchange, message });
      judgedKinds.push(kind);
    }
    if (judgedKinds.length === 0) t.notTestable('no job that works could be asked to stop without a key');
  }),
  check('EFFECT-02', { needs: [refusedChanges] }, async (t) => {
    for (const { operation, before, refusal, after } of await t.recording(refusedChanges)) {
      for (const member of ['name', 'userId', 'files', 'archived']) {
        const [was, is] = [memberAt(before.json, member) ?? null, memberAt(after.json, member) ?? null];
        const message = `${operation} was refused (${describeAnswer(refusal)}), and ${member} changed from ${show(was)} to ${show(is)}; expected no change`;
        t.expect(isSame(was, is), { cell: operation, exchange: refusal, message });
      }
    }
  }),
];
