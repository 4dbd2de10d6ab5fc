import { emitTables } from './write-files.ts';
import type { RuleTables } from './rule-tables.ts';

/** The states of one machine, with the name and the comment of the generated constant. */
interface StateWords {
  readonly name: string;
  readonly comment: string;
  readonly states: readonly string[];
}

/**
 * Returns the text of a module with the states of spec/rules/lifecycle.yaml as constants with types:
 * `sessionStatus.idle` is `'idle'`, and a misspelt state does not compile. The module is small, because scripts of web
 * pages import it.
 */
export function statesModule({ lifecycle }: Pick<RuleTables, 'lifecycle'>): string {
  const words = [
    ...machineWords.map(({ machine, ...rest }) => ({ ...rest, states: machineStates(lifecycle, machine) })),
    { name: 'runState', comment: 'Internal states of a run.', states: lifecycle.views.map(({ run }) => run) },
  ];
  const tables = words.map(({ name, comment, states }) => ({
    name,
    comment,
    value: Object.fromEntries(states.map((state) => [state, state])),
  }));
  return emitTables(tables, words.map(typeAlias).join('\n'));
}

const machineWords = [
  { machine: 'session', name: 'sessionStatus', comment: 'States of a session; V3 shows them.' },
  { machine: 'task', name: 'taskStatus', comment: 'States of a task, as V2 shows them.' },
  { machine: 'run', name: 'runStatus', comment: 'States of a run, as V4 shows them.' },
  { machine: 'browser', name: 'browserStatus', comment: 'States of a standalone browser.' },
] as const;

function machineStates({ machines }: RuleTables['lifecycle'], name: string): string[] {
  const machine = machines.find((row) => row.machine === name);
  if (machine === undefined)
    throw new Error(
      `spec/rules/lifecycle.yaml: found no machine "${name}", expected its states for generated/states.ts`,
    );
  return machine.states.map((state) => state.name);
}

function typeAlias({ name, comment }: StateWords): string {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return `/** ${comment} */\nexport type ${type} = keyof typeof ${name};\n`;
}
