import { readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { table } from '../../pages/markdown.ts';
import type { Version } from '../bundle.ts';
import { expectObject, expectText } from '../parse.ts';
import { clientEndStates } from '../client-facts.ts';
import { type Machine, type Moves, getMoves } from './moves.ts';
import { listOperations } from '../../../src/cli/spec/documents.ts';

const bytes = [
  [1_073_741_824, 'GiB'],
  [1_048_576, 'MiB'],
  [1024, 'KiB'],
  [1, 'bytes'],
] as const;
const times = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
  [1, 'ms'],
] as const;

/** Tables of spec/rules that an introduction uses. */
export interface IntroductionTables {
  readonly lifecycle: { readonly machines: readonly Machine[] };
  readonly limits: { readonly limits: readonly LimitRow[] };
  readonly errors: { readonly problems: readonly Problem[] };
  readonly service: {
    readonly authentication: { readonly name: string; readonly environmentVariable: string };
    readonly keyPrefix: { readonly value: string };
  };
}

/**
 * Returns a copy of a document whose description begins with the introduction of the generation: the text of
 * spec/<version>/introduction.md with life cycles, errors and limits from the tables. Throws for an unknown
 * placeholder.
 */
export function withIntroduction(document: JsonObject, version: Version, tables: IntroductionTables): JsonObject {
  const info = expectObject(document['info'], 'info');
  const text = filled(read(`spec/${version}/introduction.md`), { document, version, tables });
  return {
    ...document,
    info: { ...info, description: `${text}\n\n${expectText(info['description'], 'info.description')}\n` },
  };
}

/** Data from which the placeholders of an introduction are replaced. */
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
    clientEndStates(getMachine(source, machine))
      .map((name) => `'${name}'`)
      .join(', '),
  '"ended"': (source, machine) =>
    clientEndStates(getMachine(source, machine))
      .map((name) => `"${name}"`)
      .join(', '),
  'life-cycle': (source, machine) => lifeCycle(getMachine(source, machine)),
  refusal: ({ document }) => refusalExample(document, 'NotFound'),
  validation: ({ document }) => refusalExample(document, 'UnprocessableContent'),
  statuses: ({ document, tables }) => statusRows(document, tables.errors.problems),
  'limit-rows': ({ version, tables }) => limitRows(tables.limits.limits, version),
};

function getMachine({ version, tables }: Source, name: string): Machine {
  const machine = tables.lifecycle.machines.find((row) => row.machine === name && row.version === version);
  if (machine !== undefined) return machine;
  throw new Error(
    `spec/${version}/introduction.md: found the machine "${name}", expected one of lifecycle.yaml for ${version}`,
  );
}

/**
 * Returns the name of the picture of a life cycle: its CSS class in the introduction, and its key in the module with
 * all pictures.
 */
export function pictureName({ version, machine }: Machine): string {
  return `life-cycle-${version}-${machine}`;
}

/**
 * Returns a life cycle as Markdown: an empty element for the picture, the numbered list of moves between states, and a
 * table of the states.
 */
function lifeCycle(machine: Machine): string {
  const states = machine.states.map(({ name, kind, meaning }) => [`\`${name}\``, kind, meaning]);
  return [
    `<div class="${pictureName(machine)}"></div>`,
    getMoves(machine).map(moveLine).join('\n'),
    table(['State', 'Kind', 'Meaning'], states),
  ].join('\n\n');
}

function moveLine({ from, to, text }: Moves, index: number): string {
  const names = (states: readonly string[]): string => states.map((name) => `\`${name}\``).join(', ');
  return `${index + 1}. ${names(from)} → ${names(to)}: ${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A row of spec/rules/limits.yaml. */
interface LimitRow {
  readonly limit: string;
  readonly value?: number;
  readonly unit: string;
  readonly appliesTo: readonly string[];
  readonly text?: string;
}

/** Returns the limits that apply to a generation and have a text and a value, as rows of a Markdown table. */
function limitRows(limits: readonly LimitRow[], version: string): string {
  return limits
    .filter(({ appliesTo, text, value }) => appliesTo.includes(version) && text !== undefined && value !== undefined)
    .map(({ text = '', value = 0, unit }) => `| ${text} | ${amount(value, unit)} |`)
    .join('\n');
}

/**
 * Formats a duration or a number of bytes in the largest unit that divides it. Formats other values in their own unit,
 * and `items` without a unit.
 */
function amount(value: number, unit: string): string {
  if (unit === 'ms') return whole(value, times).replace(/^1 (\w{3,})s$/, '1 $1');
  if (unit === 'minutes') return amount(value * 60_000, 'ms');
  if (unit === 'bytes') return whole(value, bytes);
  const digits = value.toLocaleString('en-US');
  return unit === 'items' ? digits : `${digits} ${unit}`;
}

function whole(value: number, units: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = units.find(([least]) => value >= least && value % least === 0) ?? [1, ''];
  return `${value / size} ${name}`;
}

interface Problem {
  readonly status: number;
  readonly retryAfter?: string;
  readonly retryAfterSeconds?: number;
}

/**
 * Returns the error statuses of a document as rows of a Markdown table, with their meanings and whether a client should
 * repeat the request.
 */
function statusRows(document: JsonObject, problems: readonly Problem[]): string {
  const meanings = new Map<string, Set<string>>();
  for (const { operation } of listOperations(document))
    for (const [status, response] of Object.entries(expectObject(operation['responses'], 'responses'))) {
      if (Number(status) < 400) continue;
      const known = meanings.get(status) ?? new Set();
      meanings.set(status, known.add(getMeaning(document, expectObject(response, status))));
    }
  return [...meanings]
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([status, texts]) => `| ${status} | ${[...texts].join(' ')} | ${advice(Number(status), problems)} |`)
    .join('\n');
}

function getMeaning(document: JsonObject, response: JsonObject): string {
  const { $ref } = response;
  const meant =
    typeof $ref === 'string' ? sharedResponse(document, $ref.replace('#/components/responses/', '')) : response;
  return expectText(meant['description'], 'a description');
}

function advice(status: number, problems: readonly Problem[]): string {
  const waits = problems.some(
    (row) => row.status === status && (row.retryAfter !== undefined || row.retryAfterSeconds !== undefined),
  );
  if (waits) return 'Yes, after the seconds of `Retry-After`';
  return status >= 500 ? 'Yes, after a second' : 'No, correct it first';
}

/** Returns the first example of a shared response of a document as JSON. */
function refusalExample(document: JsonObject, response: string): string {
  const content = expectObject(sharedResponse(document, response)['content'], response);
  const { examples } = expectObject(content['application/json'], response);
  const [example] = Object.values(isJsonObject(examples) ? examples : {});
  return JSON.stringify(expectObject(example, `an example of ${response}`)['value']);
}

function sharedResponse(document: JsonObject, name: string): JsonObject {
  const components = expectObject(document['components'], 'components');
  return expectObject(expectObject(components['responses'], 'components.responses')[name], name);
}
