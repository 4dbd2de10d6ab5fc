import { clientScenarios } from '#generated/rules.ts';
import type { ClientRuleId } from '#generated/requirements.ts';
import type { JsonValue } from '../core/json.ts';
import { createRandom, hashText } from '../core/random.ts';

/** Kinds of requests that a fault can apply to. */
export type FaultPlace = 'any' | 'create' | 'poll' | 'list' | 'events' | 'download';

/** A number in the trial table, or the two bounds, both included, between which the seed draws the number. */
type Drawn = number | readonly number[];

/** A fault of a trial, from spec/rules/client-scenarios.yaml. */
export interface FaultRow extends Omit<Fault, 'from' | 'retryAfter' | 'status'> {
  /** Number of the first affected request, or the bounds of a drawn number. @defaultValue 1 */
  readonly from?: Drawn;
  readonly retryAfter?: Drawn;
}

/** A fault of a trial, in which the seed has determined every random value. */
export interface Fault {
  readonly on: FaultPlace;
  /** Number, from 1, of the first request to which the fault applies. Only requests of the kind `on` are counted. */
  readonly from: number;
  /** Number of consecutive requests that the fault applies to. @defaultValue 1 */
  readonly times?: number;
  readonly do:
    | 'redirect'
    | 'refuse'
    | 'members'
    | 'values'
    | 'decimals'
    | 'delay'
    | 'pieces'
    | 'compress'
    | 'hang'
    | 'lose'
    | 'short'
    | 'insert'
    | 'cursors'
    | 'nothingNew'
    | 'kinds';
  readonly as?: 'busy' | 'rate' | 'list' | 'text' | 'object' | 'page' | 'fault' | 'expired';
  /** Delay that the response requests, in seconds. */
  readonly retryAfter?: number;
  /** Status of a redirect. */
  readonly status?: number;
  readonly ms?: number;
}

/** Name of a scenario. */
export type ScenarioName = (typeof clientScenarios.scenarios)[number]['name'];

/** Generations that a program can use. */
export type ClientVersion = 'v2' | 'v3' | 'v4';

/** One start of the client program: a scenario with faults. */
export interface Trial {
  readonly name: string;
  readonly scenario: ScenarioName;
  readonly version: ClientVersion;
  /**
   * Name of the control trial, which does the same work without the fault. If the program fails in the control trial
   * too, this trial has no verdict.
   */
  readonly control?: string;
  readonly key?: 'absent';
  readonly address?: 'slash';
  readonly input?: Readonly<Record<string, JsonValue>>;
  readonly create?: Readonly<Record<string, JsonValue>>;
  readonly followUp?: Readonly<Record<string, JsonValue>>;
  /** States that the answers to polls show, one state per poll, in order. @defaultValue the states of the service */
  readonly states?: readonly string[];
  readonly interruptAfter?: number;
  readonly drops?: number;
  readonly prepare?: number;
  readonly faults?: readonly FaultRow[];
  readonly judges: readonly ClientRuleId[];
}

/** Content of the environment variable SVC_INPUT, from which the client program reads its task. */
export type TrialInput = Readonly<Record<string, JsonValue>> & { readonly version: ClientVersion };

/** Every trial, in the order of the table. */
export const trials: readonly Trial[] = clientScenarios.trials;

/** Rules that every trial judges. */
export const always: readonly ClientRuleId[] = clientScenarios.always;

/** Settings that apply to all trials. */
export const { endMs, pollsAfterEnd, advanceMs, advances } = clientScenarios;

const { works } = clientScenarios;

const models = {
  v2: { llm: 'gemini-2.5-flash' },
  v3: { model: 'claude-sonnet-5' },
  v4: { model: 'gpt-5.6-luna' },
} as const;

/** The random values of a trial, except the words that its faults add to answers. */
export interface DrawnTrial {
  readonly input: TrialInput;
  readonly states: readonly string[];
  readonly faults: readonly Fault[];
  /** Seed of the service. It determines the ids that the service assigns and how long its tasks run. */
  readonly work: number;
  /** Number that is added to the ids of events. */
  readonly eventShift: number;
  /** Number of CDP connections that are dropped. */
  readonly drops: number;
  /**
   * Number of data chunks from the program after which each of the first `drops` CDP connections is dropped; 0 if no
   * connection is dropped.
   */
  readonly dropsAfter: number;
}

/** Draws the random values of a trial: its input, statuses, faults and the work of its tasks. */
export function drawTrial(trial: Trial, draw: Draw): DrawnTrial {
  const work = showsWork(trial) ? draw.between(1, works) : 1;
  // The length of the work depends on the task as well.
  const content = showsWork(trial) ? createDraw(work, trial.name) : draw;
  const words = { word: content.word(), digit: String(draw.between(1, 9)) };
  const { states = [], faults = [], drops = 0 } = trial;
  return {
    input: drawInput(trial, content, words),
    states: states.map((state) => fillText(state, words)),
    faults: faults.map((fault) => drawFault(fault, draw)),
    work,
    eventShift: trial.scenario === 'events' ? content.pick([5, 8, 97]) : 0,
    drops,
    dropsAfter: drops === 0 ? 0 : draw.between(1, 2),
  };
}

/** Returns true if the duration of the task or the bytes of files affect the requests of the program. */
function showsWork({ scenario, states }: Trial): boolean {
  return scenario === 'files' || (states === undefined && ['run', 'follow-up', 'events'].includes(scenario));
}

function drawFault(fault: FaultRow, draw: Draw): Fault {
  const number = (value: Drawn): number => {
    const [least = 1, most = least] = typeof value === 'number' ? [value] : value;
    return draw.between(least, most);
  };
  const { from = 1, retryAfter, ...same } = fault;
  return {
    ...same,
    from: number(from),
    ...(retryAfter === undefined ? {} : { retryAfter: number(retryAfter) }),
    ...(fault.do === 'redirect' ? { status: draw.pick([302, 303, 307, 308]) } : {}),
  };
}

/** Texts that replace the placeholders `{word}` and `{digit}` of the trial table. */
type Words = Readonly<Record<'word' | 'digit', string>>;

function drawInput(trial: Trial, draw: Draw, words: Words): TrialInput {
  const fill = (value: JsonValue): JsonValue => (typeof value === 'string' ? fillText(value, words) : value);
  const { version, scenario, create = {}, followUp, input = {} } = trial;
  const { pollMs, timeoutMs } = clientScenarios;
  const usual = { version, pollMs, timeoutMs };
  const given: Record<string, JsonValue> = { ...usual, ...givenBy(scenario, draw), ...filled(input, fill) };
  if (['run', 'follow-up', 'stop', 'events'].includes(scenario))
    given['create'] = { task: fill(clientScenarios.task), ...models[version], ...filled(create, fill) };
  if (scenario === 'follow-up') given['followUp'] = { task: fill('And the telephone number? {word}'), ...followUp };
  return { ...given, version };
}

function givenBy(scenario: ScenarioName, draw: Draw): Record<string, JsonValue> {
  if (scenario === 'browser') return { create: { timeout: draw.pick([5, 15, 60]) }, rounds: 3 };
  if (scenario !== 'files') return {};
  const file = (name: string, contentType: string, size: number): JsonValue => {
    return { name, contentType, base64: draw.bytes(size).toString('base64') };
  };
  return {
    files: [
      file(`report ${draw.word()}.bin`, 'application/octet-stream', draw.between(200, 900)),
      file(`${draw.word()}.csv`, 'text/csv', draw.between(1, 100)),
    ],
  };
}

/**
 * Returns the random values of a trial as JSON text; each random word is replaced by the same letters. Two seeds with
 * an equal text lead to the same requests, faults and timings.
 */
export function drawnSituation(trial: Trial, seed: number): string {
  const draw = createDraw(seed, trial.name);
  const masked = { ...draw, word: () => draw.word().replaceAll(/./g, 'x') };
  return JSON.stringify({ ...drawTrial(trial, masked), ...(draws(trial, 'decimals') ? { seed } : {}) });
}

/** Returns true for a trial with a fault of this kind. */
function draws({ faults = [] }: Trial, fault: Fault['do']): boolean {
  return faults.some((one) => one.do === fault);
}

function filled(
  values: Readonly<Record<string, JsonValue>>,
  fill: (value: JsonValue) => JsonValue,
): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}

function fillText(text: string, { word, digit }: Words): string {
  return text.replaceAll('{word}', word).replaceAll('{digit}', digit);
}

/** Source of the random values of a seed. */
export interface Draw {
  /** Draws a whole number, bounds included. */
  between(least: number, most: number): number;
  /** Draws eight lower-case letters. */
  word(): string;
  bytes(count: number): Buffer;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/**
 * Creates the random source of a trial from the seed of the run and the name of the trial. The values do not depend on
 * the other trials of the run.
 */
export function createDraw(seed: number, name: string): Draw {
  const random = createRandom(hashText(`${seed} ${name}`));
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    between,
    word: () => Array.from({ length: 8 }, () => String.fromCodePoint(between(97, 122))).join(''),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => between(0, 255))),
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
  };
}
