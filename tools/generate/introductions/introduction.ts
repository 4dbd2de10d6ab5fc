import { readFileSync } from 'node:fs';
import type { JsonObject } from '#lib/json.ts';
import { table } from '../../pages/markdown.ts';
import type { Version } from '../bundle.ts';
import { clientEndStates } from '../client-facts.ts';
import { expectObject, expectText } from '../parse.ts';
import { type LimitRow, limitRows } from './limit-rows.ts';
import { type Machine, type Moves, movesOf } from './moves.ts';
import { refusalExample, statusRows } from './status-rows.ts';

/** The tables of spec/rules that an introduction is made of. */
export interface IntroductionTables {
  readonly lifecycle: { readonly machines: readonly Machine[] };
  readonly limits: { readonly limits: readonly LimitRow[] };
  readonly errors: { readonly problems: readonly { readonly status: number; readonly retryAfter?: string }[] };
  readonly service: {
    readonly authentication: { readonly name: string; readonly environmentVariable: string };
    readonly keyPrefix: { readonly value: string };
  };
}

/**
 * Returns a document with the introduction of its generation below its description. The text is that of spec/<version>/introduction.md; life cycles,
 * errors and limits are filled in from the tables and the document. Throws for a placeholder that nothing fills.
 */
export function withIntroduction(document: JsonObject, version: Version, tables: IntroductionTables): JsonObject {
  const info = expectObject(document['info'], 'info');
  const text = filled(read(`spec/${version}/introduction.md`), { document, version, tables });
  return {
    ...document,
    info: { ...info, description: `${text}\n\n${expectText(info['description'], 'info.description')}\n` },
  };
}

/** What placeholders are filled from. */
interface Source {
  readonly document: JsonObject;
  readonly version: Version;
  readonly tables: IntroductionTables;
}

const placeholder = /\{\{(?<word>['"]?[a-z-]+['"]?)(?: (?<machine>[a-z]+))?\}\}/g;

function filled(text: string, source: Source): string {
  return text.replaceAll(placeholder, (_whole, word: string, machine: string | undefined) => {
    const fill = fills[word];
    if (fill === undefined)
      throw new Error(
        `spec/${source.version}/introduction.md: found {{${word}}}, expected ${Object.keys(fills).join(', ')}`,
      );
    return fill(source, machine ?? '');
  });
}

function read(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

type Fill = (source: Source, machine: string) => string;

const shared = (name: string): Fill => {
  return (source) => filled(read(`spec/shared/introduction/${name}.md`), source);
};

const fills: Readonly<Record<string, Fill>> = {
  authentication: shared('authentication'),
  errors: shared('errors'),
  limits: shared('limits'),
  'key-header': ({ tables }) => tables.service.authentication.name,
  'key-variable': ({ tables }) => tables.service.authentication.environmentVariable,
  'key-prefix': ({ tables }) => tables.service.keyPrefix.value,
  "'ended'": (source, machine) =>
    clientEndStates(machineOf(source, machine))
      .map((name) => `'${name}'`)
      .join(', '),
  '"ended"': (source, machine) =>
    clientEndStates(machineOf(source, machine))
      .map((name) => `"${name}"`)
      .join(', '),
  'life-cycle': (source, machine) => lifeCycle(machineOf(source, machine)),
  refusal: ({ document }) => refusalExample(document, 'NotFound'),
  validation: ({ document }) => refusalExample(document, 'UnprocessableContent'),
  statuses: ({ document, tables }) => statusRows(document, tables.errors.problems),
  'limit-rows': ({ version, tables }) => limitRows(tables.limits.limits, version),
};

function machineOf({ version, tables }: Source, name: string): Machine {
  const machine = tables.lifecycle.machines.find((row) => row.machine === name && row.version === version);
  if (machine !== undefined) return machine;
  throw new Error(
    `spec/${version}/introduction.md: found the machine "${name}", expected one of lifecycle.yaml for ${version}`,
  );
}

/** The name of the place of a picture, which is its class in the text and its id in the page. */
export function pictureName({ version, machine }: Machine): string {
  return `life-cycle-${version}-${machine}`;
}

/** The picture as an empty element that the page fills, the moves by their numbers, and the states. */
function lifeCycle(machine: Machine): string {
  const states = machine.states.map(({ name, kind, meaning }) => [`\`${name}\``, kind, meaning]);
  return [
    `<div class="${pictureName(machine)}"></div>`,
    movesOf(machine).map(moveLine).join('\n'),
    table(['State', 'Kind', 'Meaning'], states),
  ].join('\n\n');
}

function moveLine({ from, to, text }: Moves, index: number): string {
  const names = (states: readonly string[]): string => states.map((name) => `\`${name}\``).join(', ');
  return `${index + 1}. ${names(from)} → ${names(to)}: ${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
