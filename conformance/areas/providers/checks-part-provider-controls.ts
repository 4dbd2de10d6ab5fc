import { reasoningMapping } from '#generated/rules.ts';
import { type Controls, type ProviderCall, controlsOf } from '../../provider-stub/index.ts';
import type { ProviderCell } from './cells.ts';
import type { Expectation } from './checks-part-provider-seen.ts';
import { show } from '../common/session-records.ts';

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
    show: shownControls,
  };
}

/** Every depth of reasoning that a request asks for, as one text that two requests can be compared by. */
export function depthOf({ body }: ProviderCall): string {
  const { effort, level, budget } = controlsOf(body);
  return JSON.stringify({ effort, level, budget });
}
