import { defaultRules } from '../../src/contract/rule-book.ts';
import { page, table } from './markdown.ts';

type Machine = (typeof defaultRules)['lifecycle']['machines'][number];
type View = (typeof defaultRules)['lifecycle']['views'][number];

/** Returns the page with states and transitions of every resource. */
export function lifecyclePage(): string {
  return page(
    'Life cycles',
    'From `spec/rules/lifecycle.yaml`.',
    ...defaultRules.lifecycle.machines.flatMap(machineBlocks),
    '## What a generation shows of a run',
    table(['Generation', 'Run of the engine', 'Status shown', 'Source'], defaultRules.lifecycle.views.map(viewRow)),
  );
}

function viewRow({ version, run, status, source }: View): string[] {
  return [version, run, status, source];
}

function machineBlocks(machine: Machine): string[] {
  const states = machine.states.map(({ name, kind, meaning, source }) => [name, kind, meaning, source]);
  const blocks = [`## ${machine.machine} (${machine.version})`, table(['State', 'Kind', 'Meaning', 'Source'], states)];
  if (machine.transitions.length === 0) return blocks;
  const moves = machine.transitions.map(({ from, trigger, condition, to, source }) => [
    from,
    trigger,
    condition,
    to,
    source,
  ]);
  const decided = (machine.decisions ?? []).map(({ from, id, text, to, source }) => [from, id, text, to, source]);
  return [...blocks, diagram(machine), table(['From', 'Trigger', 'Condition', 'To', 'Source'], [...moves, ...decided])];
}

function diagram(machine: Machine): string {
  const written = machine.transitions
    .filter((row) => row.from !== '*')
    .map(({ from, to, trigger }) => `  ${from} --> ${to}: ${trigger}`);
  const decided = (machine.decisions ?? []).map(({ from, to, id }) => `  ${from} --> ${to}: ${id}`);
  return ['```mermaid', 'stateDiagram-v2', ...new Set([...written, ...decided]), '```'].join('\n');
}
