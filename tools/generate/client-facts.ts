import type { JsonObject } from '#lib/json.ts';
import { emitTables } from './write-files.ts';

interface Machine {
  readonly machine: string;
  readonly states: readonly { readonly name: string; readonly kind: string }[];
  readonly transitions: readonly { readonly id: string; readonly to: string }[];
}

/** Members of the tables of spec/rules that clients need; spec/meta has the full schemas. */
export interface ClientTables {
  readonly lifecycle: { readonly machines: readonly Machine[] };
  readonly service: {
    readonly authentication: { readonly name: string; readonly environmentVariable: string };
    readonly generations: readonly { readonly version: string; readonly prefix: string }[];
  };
}

/**
 * Returns the text of a small module with the facts that a client needs, because rules.ts is too large for a web page.
 */
export function clientFacts({ lifecycle, service }: ClientTables, packageVersion: string): string {
  const { name, environmentVariable } = service.authentication;
  const prefixes = Object.fromEntries(service.generations.map(({ version, prefix }) => [version, prefix]));
  const waitedFor = Object.fromEntries(
    lifecycle.machines.map(({ machine, ...rest }): [string, string[]] => [machine, clientEndStates(rest)]),
  );
  const value: JsonObject = {
    userAgent: `svc-contract/${packageVersion}`,
    keyHeader: name,
    keyVariable: environmentVariable,
    prefixes,
    terminal: waitedFor,
  };
  return emitTables([
    {
      name: 'clientFacts',
      comment: 'Name of the client, header, variable, addresses and terminal states, for clients.',
      value,
    },
  ]);
}

/**
 * Returns the states in which a client stops polling: every end state, and each state that the transition `complete`
 * leads to (such as `idle` of a session).
 */
export function clientEndStates({ states, transitions }: Omit<Machine, 'machine'>): string[] {
  const reached = new Set(transitions.filter(({ id }) => id === 'complete').map(({ to }) => to));
  return states.filter(({ name, kind }) => kind === 'end' || reached.has(name)).map(({ name }) => name);
}
