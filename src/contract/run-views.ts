import type { RuleBook } from './rule-book.ts';

/** Where a run stands for the engine, in the words of spec/rules/lifecycle.yaml, views. */
const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'crashed'] as const;

/** One of the words above. */
export type RunState = (typeof runStates)[number];

/** A generation that shows runs. */
type RunVersion = 'v2' | 'v4';

/** The status word that a generation shows for a run in a state of the engine (spec/rules/lifecycle.yaml, views). */
export function shownStatus(rules: RuleBook, version: RunVersion, state: RunState): string {
  const row = rules.lifecycle.views.find((view) => view.version === version && view.run === state);
  if (row === undefined) throw new Error(`lifecycle: no view of a ${state} run in ${version}`);
  return row.status;
}

/** The states of the engine that a generation shows with one status word; none for a word that it never shows. */
export function statesShownAs(rules: RuleBook, version: RunVersion, status: string): RunState[] {
  return runStates.filter((state) => shownStatus(rules, version, state) === status);
}
