import type { CheckContext, Finding } from '../../core/check.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { type Controls, controlsOf } from '../../provider-stub/index.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import { possibleCells, providerRuns, type ProviderSeen, providerSessions, providerTasks } from './scenarios.ts';
import { type ProviderCell, providerCells } from './cells.ts';
import { reasoningMapping } from '#generated/rules.ts';
import { show } from '../../common/session-records.ts';

const scenarioOf = { v2: providerTasks, v3: providerSessions, v4: providerRuns } as const;

/** The scenarios of some generations, as far as a target offers them; all of them where it names no stub, which says why. */
export function providerNeeds(...generations: readonly (keyof typeof scenarioOf)[]): (target: Target) => AnyScenario[] {
  return (target) => {
    const offered = generations.filter((generation) => target.providerStub === null || target[generation] !== null);
    return offered.map((generation) => scenarioOf[generation]);
  };
}

/** What was seen of every task that a row speaks of, in all the generations of the row that have such a cell. */
export async function seenTasks(t: CheckContext, speaksOf: SpeaksOf): Promise<ProviderSeen[]> {
  const having = t.generations.filter((generation) => providerCells[generation].some(speaksOf));
  const parts = await Promise.all(having.map((generation) => t.recording(scenarioOf[generation])));
  return parts.flatMap(({ tasks }) => tasks).filter(({ cell }) => speaksOf(cell));
}

/** True for the cells of a row. */
export type SpeaksOf = (cell: ProviderCell) => boolean;

/**
 * The requests of the agent itself: those that offer tools, where some do. A service may ask a model other things of the same goal, such
 * as a title.
 */
export function agentCalls({ calls }: ProviderSeen): readonly ProviderCall[] {
  const working = calls.filter(({ body }) => Array.isArray(body['tools']) && body['tools'].length > 0);
  return working.length > 0 ? working : calls;
}

/** What is expected of the requests of one cell. */
export interface Expectation {
  /** Completes "expected ...". */
  want: string;
  /** True for a request that is as it has to be. */
  holds: (call: ProviderCall) => boolean;
  /** What of the request is shown. */
  describe: (call: ProviderCall) => string;
}

/**
 * Judges the cells that a row speaks of, each by the agent's own requests: one that is right suffices, because others may serve another end.
 * Ends the check when none of them reached the stub.
 */
export async function judgeCells(
  t: CheckContext,
  speaksOf: SpeaksOf,
  expectationOf: (seen: ProviderSeen) => Expectation | undefined,
): Promise<void> {
  const seen = await seenTasks(t, speaksOf);
  let judged = 0;
  for (const one of seen) {
    const calls = agentCalls(one);
    const expectation = calls.length > 0 ? expectationOf(one) : undefined;
    if (expectation === undefined) continue;
    judged += 1;
    t.expect(
      calls.some((call) => expectation.holds(call)),
      findingOf(one, calls, expectation),
    );
  }
  if (judged === 0) t.notTestable(whyNothing(seen));
  const total = t.generations.flatMap((generation) => possibleCells(t.target, generation)).filter(speaksOf);
  t.cellTotal(total.length, 'the others were not drawn, were refused or reached no provider');
}

function findingOf(
  { cell, told }: ProviderSeen,
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
    exchange: told,
    message: `${cell.key}: the request that reached the provider has ${found}; expected ${want}.${violations}`,
    member: '/calls/0/body',
  };
}

/** Why no request of some tasks was seen. */
function whyNothing(seen: readonly ProviderSeen[]): string {
  const [first] = seen;
  if (first === undefined) return 'no task of this row was drawn, or the target has no key for its models';
  const refused = seen.find(({ created }) => !succeeded(created));
  if (refused !== undefined && seen.every(({ created }) => !succeeded(created)))
    return `${refused.cell.key}: the creation ${describeAnswer(refused.created)}`;
  return `no request of ${seen.length} tasks that can be judged reached the provider stub (${first.cell.key} and others): the target has to call it as its provider`;
}

/** The control that a path of the contract names. */
const controlAt: Readonly<Record<string, keyof Controls>> = {
  'thinkingConfig.thinkingLevel': 'level',
  'thinkingConfig.thinkingBudget': 'budget',
  'output_config.effort': 'effort',
  'thinking.budget_tokens': 'budget',
  'reasoning.effort': 'effort',
  'thinking.type': 'thinking',
  'thinking.display': 'display',
};

/** The reasoning controls of a request as text: only those that it carries. */
export function shownControls({ body }: ProviderCall): string {
  const carried = Object.entries(controlsOf(body)).filter(([, value]) => value !== undefined);
  return carried.length === 0
    ? 'no reasoning control'
    : carried.map(([name, value]) => `${name} ${show(value)}`).join(', ');
}

/** The value of the control at a path of the contract; a level may be spelled as an effort by who speaks another dialect. */
export function valueAt({ body }: ProviderCall, path: string): string | number | undefined {
  const controls = controlsOf(body);
  const control = controlAt[path];
  if (control === undefined) throw new Error(`no control is known for the path ${path}`);
  return controls[control] ?? (control === 'level' ? controls.effort : undefined);
}

/** What the mapping says of the level of a cell; undefined where it says nothing. */
function mappedValue({ family, level }: ProviderCell): { path: string; value: string | number } | undefined {
  const row = reasoningMapping.families.find((one) => one.family === family);
  const levels: Readonly<Record<string, string | number>> = row === undefined ? {} : { ...row.levels };
  const value = levels[level];
  return row === undefined || value === undefined ? undefined : { path: row.control, value };
}

/** Expects what the mapping says of the level of a cell. */
export function mapped(cell: ProviderCell): Expectation | undefined {
  const wanted = mappedValue(cell);
  return wanted === undefined ? undefined : carries(wanted.path, wanted.value);
}

/** Expects a value at a path of the contract. */
export function carries(path: string, value: string | number): Expectation {
  return {
    want: `${path} ${show(value)}`,
    holds: (call) => valueAt(call, path) === value,
    describe: shownControls,
  };
}

/** Every depth of reasoning that a request asks for, as one text that two requests can be compared by. */
export function depthOf({ body }: ProviderCall): string {
  const { effort, level, budget } = controlsOf(body);
  return JSON.stringify({ effort, level, budget });
}
