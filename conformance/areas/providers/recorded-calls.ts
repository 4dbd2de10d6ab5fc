import type { CheckContext, Finding } from '../../core/check.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { type Controls, readControls } from '../../provider-stub/index.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import { possibleCells, providerRuns, type ProviderSeen, providerSessions, providerTasks } from './scenarios.ts';
import { type ProviderCell, providerCells } from './cells.ts';
import { reasoningMapping } from '#generated/rules.ts';
import { show } from '../../core/text.ts';

const scenarioByGeneration = { v2: providerTasks, v3: providerSessions, v4: providerRuns } as const;

/**
 * Returns a function that selects the provider scenarios of the given generations that a target offers. For a target
 * without a provider stub, the function selects the scenarios of all given generations, which then report the missing
 * stub.
 */
export function providerNeeds(
  ...generations: readonly (keyof typeof scenarioByGeneration)[]
): (target: Target) => AnyScenario[] {
  return (target) => {
    const offered = generations.filter((generation) => target.providerStub === null || target[generation] !== null);
    return offered.map((generation) => scenarioByGeneration[generation]);
  };
}

/** Returns the recorded tasks whose cells match the predicate, from every generation that has such cells. */
export async function seenTasks(t: CheckContext, isInScope: CellFilter): Promise<ProviderSeen[]> {
  const having = t.generations.filter((generation) => providerCells[generation].some(isInScope));
  const parts = await Promise.all(having.map((generation) => t.recording(scenarioByGeneration[generation])));
  return parts.flatMap(({ tasks }) => tasks).filter(({ cell }) => isInScope(cell));
}

/** Predicate that selects the matrix cells that a requirement covers. */
export type CellFilter = (cell: ProviderCell) => boolean;

/**
 * Returns the requests of the agent itself: those with tools, if any request has tools. A service may also send other
 * requests for a task, such as for a title.
 */
export function agentCalls({ calls }: ProviderSeen): readonly ProviderCall[] {
  const working = calls.filter(({ body }) => Array.isArray(body['tools']) && body['tools'].length > 0);
  return working.length > 0 ? working : calls;
}

/** Property that a provider request of a cell must have. */
export interface Expectation {
  /** The required property as text; the message of a violation has it after the word "expected". */
  want: string;
  /** Returns true for a request that meets the expectation. */
  holds: (call: ProviderCall) => boolean;
  /** Returns the relevant part of the request, for messages. */
  describe: (call: ProviderCall) => string;
}

/**
 * Judges the cells of a requirement by the agent's own requests. One matching request for a cell suffices, because
 * other requests may have another purpose. Ends the check as not testable if no cell could be judged, for example
 * because no request reached the stub.
 */
export async function judgeCells(
  t: CheckContext,
  isInScope: CellFilter,
  getExpectation: (seen: ProviderSeen) => Expectation | undefined,
): Promise<void> {
  const seen = await seenTasks(t, isInScope);
  let judged = 0;
  for (const one of seen) {
    const expectation = agentCalls(one).length > 0 ? getExpectation(one) : undefined;
    if (expectation === undefined) continue;
    judged += 1;
    expectTask(t, one, expectation);
  }
  if (judged === 0) t.notTestable(whyNothing(seen));
  const total = t.generations.flatMap((generation) => possibleCells(t.target, generation)).filter(isInScope);
  t.cellTotal(total.length, 'the others were not drawn, were refused or reached no provider');
}

/**
 * Judges the provider requests of one task. One request that meets the expectation suffices. A task without a request
 * is not judged.
 */
export function expectTask(t: CheckContext, seen: ProviderSeen, expectation: Expectation): void {
  const calls = agentCalls(seen);
  if (calls.length === 0) return;
  t.expect(
    calls.some((call) => expectation.holds(call)),
    createFinding(seen, calls, expectation),
  );
}

function createFinding(
  { cell, record }: ProviderSeen,
  calls: readonly ProviderCall[],
  { want, describe }: Expectation,
): Finding {
  const [call] = calls;
  const found = call === undefined ? 'nothing' : describe(call);
  const violations =
    call === undefined || call.breaches.length === 0
      ? ''
      : ` The provider would refuse it: ${call.breaches.join('; ')}.`;
  return {
    cell: cell.key,
    exchange: record,
    message: `${cell.key}: the request that reached the provider has ${found}; expected ${want}.${violations}`,
    member: '/calls/0/body',
  };
}

/** Returns the reason why no cell of some tasks could be judged, for example that no request reached the stub. */
function whyNothing(seen: readonly ProviderSeen[]): string {
  const [first] = seen;
  if (first === undefined) return 'no task of this row was drawn, or the target has no key for its models';
  const refused = seen.find(({ created }) => !succeeded(created));
  if (refused !== undefined && seen.every(({ created }) => !succeeded(created)))
    return `${refused.cell.key}: the creation ${describeAnswer(refused.created)}`;
  return `no request of ${seen.length} tasks that can be judged reached the provider stub (${first.cell.key} and others): the target has to call it as its provider`;
}

/** The reasoning control at each path of the contract. */
const controlAt: Readonly<Record<string, keyof Controls>> = {
  'thinkingConfig.thinkingLevel': 'level',
  'thinkingConfig.thinkingBudget': 'budget',
  'output_config.effort': 'effort',
  'thinking.budget_tokens': 'budget',
  'reasoning.effort': 'effort',
  'thinking.type': 'thinking',
  'thinking.display': 'display',
};

/** Returns the reasoning controls of a request as text for messages, such as `effort "low"`. */
export function shownControls({ body }: ProviderCall): string {
  const carried = Object.entries(readControls(body)).filter(([, value]) => value !== undefined);
  return carried.length === 0
    ? 'no reasoning control'
    : carried.map(([name, value]) => `${name} ${show(value)}`).join(', ');
}

/**
 * Returns the value of the reasoning control that a contract path denotes, such as `reasoning.effort`. If the path
 * denotes a level and the request has none, returns the effort, because providers name the same control differently.
 * Throws for an unknown path.
 */
export function valueAt({ body }: ProviderCall, path: string): string | number | undefined {
  const controls = readControls(body);
  const control = controlAt[path];
  if (control === undefined) throw new Error(`no control is known for the path ${path}`);
  return controls[control] ?? (control === 'level' ? controls.effort : undefined);
}

/**
 * Returns the path and value that the mapping gives for the level of a cell; undefined if the mapping has no value for
 * the level.
 */
function mappedValue({ family, level }: ProviderCell): { path: string; value: string | number } | undefined {
  const row = reasoningMapping.families.find((one) => one.family === family);
  const levels: Readonly<Record<string, string | number>> = row === undefined ? {} : { ...row.levels };
  const value = levels[level];
  return row === undefined || value === undefined ? undefined : { path: row.control, value };
}

/**
 * Returns the expectation that the request carries the mapped value of a cell's level; undefined if the mapping has no
 * value for the level.
 */
export function mapped(cell: ProviderCell): Expectation | undefined {
  const wanted = mappedValue(cell);
  return wanted === undefined ? undefined : carries(wanted.path, wanted.value);
}

/** Returns the expectation that a request has this value in the reasoning control that a contract path denotes. */
export function carries(path: string, value: string | number): Expectation {
  return {
    want: `${path} ${show(value)}`,
    holds: (call) => valueAt(call, path) === value,
    describe: shownControls,
  };
}

/** Returns effort, level and budget of a request as one JSON text, so that two requests can be compared. */
export function readDepth({ body }: ProviderCall): string {
  const { effort, level, budget } = readControls(body);
  return JSON.stringify({ effort, level, budget });
}
