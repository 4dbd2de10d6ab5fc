import { clientScenarios } from '#generated/rules.ts';
import type { ClientRuleId } from '#generated/requirements.ts';
import type { JsonValue } from '../core/json.ts';
import type { Draw } from './draw.ts';

/** Kinds of requests that a fault can apply to. */
export type FaultPlace = 'any' | 'create' | 'poll' | 'list' | 'events' | 'download';

/** A fault of a trial, from spec/rules/client-scenarios.yaml. */
export interface Fault {
  readonly on: FaultPlace;
  /** Number of the first request of its kind that it applies to, from 1. @defaultValue 1 */
  readonly from?: number;
  /** Number of consecutive requests. @defaultValue 1 */
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
  readonly as?: 'rate' | 'list' | 'text' | 'object' | 'page' | 'fault' | 'expired';
  /** Seconds. */
  readonly retryAfter?: number;
  readonly ms?: number;
}

/** Name of a scenario. */
export type ScenarioName = (typeof clientScenarios.scenarios)[number]['name'];

/** Generations that a program can use. */
export type ClientVersion = 'v2' | 'v3' | 'v4';

/** One start of the program: a scenario with faults. */
export interface Trial {
  readonly name: string;
  readonly scenario: ScenarioName;
  readonly version: ClientVersion;
  /** Trial without the fault: if it fails too, this trial has no verdict. */
  readonly control?: string;
  readonly key?: 'absent';
  readonly address?: 'slash';
  readonly input?: Readonly<Record<string, JsonValue>>;
  readonly create?: Readonly<Record<string, JsonValue>>;
  readonly followUp?: Readonly<Record<string, JsonValue>>;
  /** States that the work shows, the next one at each poll. @defaultValue those of the service */
  readonly states?: readonly string[];
  readonly interruptAfter?: number;
  readonly drops?: number;
  readonly prepare?: number;
  readonly faults?: readonly Fault[];
  readonly judges: readonly ClientRuleId[];
}

/** Content of SVC_INPUT. */
export type TrialInput = Readonly<Record<string, JsonValue>> & { readonly version: ClientVersion };

/** Every trial, in the order of the table. */
export const trials: readonly Trial[] = clientScenarios.trials;

/** Rules that every trial judges. */
export const always: readonly ClientRuleId[] = clientScenarios.always;

/** Settings of all trials. */
export const { endMs, pollsAfterEnd, advanceMs, advances } = clientScenarios;

const models = {
  v2: { llm: 'gemini-2.5-flash' },
  v3: { model: 'claude-sonnet-5' },
  v4: { model: 'gpt-5.6-luna' },
} as const;

/** Draws the content of SVC_INPUT and the states of the work. */
export function drawTrial(trial: Trial, draw: Draw): { input: TrialInput; states: readonly string[] } {
  const words = { word: draw.word(), digit: String(draw.between(1, 9)) };
  const fill = (value: JsonValue): JsonValue => (typeof value === 'string' ? fillText(value, words) : value);
  const task = fill(clientScenarios.task);
  const { version, scenario, create = {}, followUp, input = {} } = trial;
  const { pollMs, timeoutMs } = clientScenarios;
  const usual = { version, pollMs, timeoutMs };
  const given: Record<string, JsonValue> = { ...usual, ...givenBy(scenario, draw), ...filled(input, fill) };
  if (['run', 'follow-up', 'stop', 'events'].includes(scenario))
    given['create'] = { task, ...models[version], ...filled(create, fill) };
  if (scenario === 'follow-up') given['followUp'] = { task: fill('And the telephone number? {word}'), ...followUp };
  return { input: { ...given, version }, states: (trial.states ?? []).map((state) => fillText(state, words)) };
}

function givenBy(scenario: ScenarioName, draw: Draw): Record<string, JsonValue> {
  if (scenario === 'browser') return { create: { timeout: draw.between(5, 60) }, rounds: 3 };
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

function filled(
  values: Readonly<Record<string, JsonValue>>,
  fill: (value: JsonValue) => JsonValue,
): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}

function fillText(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(word|digit)\}/g, (whole, name: string) => words[name] ?? whole);
}
