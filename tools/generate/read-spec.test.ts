import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pair, isMap, isScalar, parseDocument } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { parseJsonObject } from './parse.ts';
import { type SpecFile, createFolderReader, createTableJudge } from './read-rules.ts';
import { namesOfSpec, readSpecFiles, refuseUnknownNames, specTables } from './read-spec.ts';
import { type Place, placesIn } from './references/places.ts';
import { referenceProblems, type Reference } from './references/reference.ts';
import { requirementReferences, ruleReferences, setReferences } from './references/reference-table.ts';
import { type SchemaPlace, textPlaces } from './references/schema-places.ts';

/** A YAML file of spec/ with its schema and its references. */
interface Table {
  readonly folder: 'rules' | 'requirements' | 'sets';
  readonly schema: string;
  readonly file: SpecFile;
  readonly references: readonly Reference[];
}

const spec = readSpecFiles('spec');
const tables: readonly Table[] = [
  ...spec.rules.map((file) => {
    const references = ruleReferences[file.name] ?? [];
    return { folder: 'rules' as const, schema: file.name, file, references };
  }),
  ...spec.requirements.map((file) => {
    return {
      folder: 'requirements' as const,
      schema: 'requirements',
      file,
      references: requirementReferences(file.name),
    };
  }),
  ...spec.sets.map((file) => ({ folder: 'sets' as const, schema: 'set', file, references: setReferences })),
];
const schemas = new Map([...new Set(tables.map(({ schema }) => schema))].map((name) => [name, readSchema(name)]));
const getDocument = (version: string): JsonObject =>
  parseJsonObject(readFileSync(`generated/openapi/${version}.json`, 'utf8'), version);
const documents = { v2: getDocument('v2'), v3: getDocument('v3'), v4: getDocument('v4') };
const known = namesOfSpec('spec', specTables(spec), documents);
const judge = createTableJudge();
const reader = createFolderReader();
const folder = mkdtempSync(join(tmpdir(), 'svc-typos-'));
afterAll(() => rmSync(folder, { recursive: true }));

function readSchema(name: string): JsonObject {
  return parseJsonObject(readFileSync(`spec/meta/${name}.schema.json`, 'utf8'), name);
}

/** Returns the texts of a table, each with its path and what the schema of the table says about it. */
const getTexts = ({ schema, file }: Table): SchemaPlace[] => textPlaces(schemas.get(schema) ?? {}, file.value);

/**
 * Returns a copy of a table with an additional letter at the end of the text at each of the given paths. Names of
 * members stay unchanged.
 */
function withTypos(table: JsonObject, places: readonly (readonly (string | number)[])[]): JsonObject {
  const copy = structuredClone(table);
  for (const path of places) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the path was found in the table
    const holder = path
      .slice(0, -1)
      .reduce((value: JsonValue, step) => (value as JsonObject)[step] ?? null, copy) as JsonObject;
    const last = path.at(-1) ?? '';
    holder[last] = `${String(holder[last])}q`;
  }
  return copy;
}

/**
 * Paths in files of `spec/` whose texts refer to no name of another row: names, ids, addresses, dates, versions, and
 * words of providers.
 */
const definitions: readonly string[] = [
  'client-scenarios.trials.*.name',
  'errors.problems.*.code',
  'limits.limits.*.limit',
  'limits.rules.*.rule',
  'mock.ids.*.values.*',
  'mock.work.address',
  'models.v2.models.*.name',
  'models.v3.models.*.name',
  'models.v4.models.*.name',
  'optional-packages.features.*.packages.*.range',
  'pricing.account.planName',
  'provider-requests.controls.*.places.*',
  'provider-requests.families.*.members.~',
  'provider-requests.families.*.words.generationConfig.thinkingConfig.thinkingLevel.*',
  'provider-requests.families.*.words.output_config.effort.*',
  'provider-requests.families.*.words.reasoning.effort.*',
  'provider-requests.families.*.words.thinking.display.*',
  'provider-requests.families.*.words.thinking.type.*',
  'providers.providers.*.baseUrl',
  'providers.providers.*.keyVariable',
  'providers.providers.*.provider',
  'reasoning-mapping.families.*.family',
  'requirements.laws.*.id',
  'requirements.requirements.*.formerly.*',
  'requirements.requirements.*.id',
  'service.generations.*.publishedVersion',
  'service.keyPrefix.value',
  'set.frozen',
];

/**
 * Returns the name of the schema and a path, joined by dots, with `*` in place of indexes. If the path leads to a
 * member name that the schema does not list, ends with `~` instead of the name.
 */
function getKind({ schema }: Table, path: Place['path'], isName: boolean): string {
  const steps = path.map((step) => (typeof step === 'number' ? '*' : step));
  return [schema, ...(isName ? [...steps.slice(0, -1), '~'] : steps)].join('.');
}

const key = (path: readonly (string | number)[]): string => path.join('/');

/** Returns one place for each group of places whose paths differ only in indexes: the first of the group. */
function oneOfEach<P extends { readonly path: Place['path'] }>(places: readonly P[]): P[] {
  const byKind = new Map(
    places.toReversed().map((place) => [key(place.path.map((step) => (typeof step === 'number' ? '*' : step))), place]),
  );
  return [...byKind.values()];
}

/**
 * Writes a copy of a file with a typo at one path, and reads the copy as `npm run generate` does. Returns the error
 * message (`nothing` if the typo is accepted) and the line of the typo.
 */
function refusal(
  { folder: kind, schema, file }: Table,
  { path, isName = false }: TypedPlace,
): { said: string; line: number } {
  const text = readFileSync(`spec/${kind}/${file.name}.yaml`, 'utf8');
  const node = nodeAt(text, path, isName);
  const typed = `${text.slice(0, node.start)}${JSON.stringify(`${node.word}q`)}${text.slice(node.end)}`;
  const place = join(folder, kind);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  writeFileSync(join(place, `${file.name}.yaml`), typed);
  const line = text.slice(0, node.start).split('\n').length;
  try {
    const read = reader(place, () => schema);
    const files = { rules: [], requirements: [], sets: [], [kind]: read };
    refuseUnknownNames(files, known);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'usage') return { said: error.message, line };
    throw error;
  }
  return { said: 'nothing', line };
}

interface TypedPlace {
  readonly path: Place['path'];
  /** Whether the typo is in the name of the member at the path, not in its value. */
  readonly isName?: boolean;
}

function nodeAt(text: string, path: Place['path'], isName: boolean): { start: number; end: number; word: string } {
  const document = parseDocument(text);
  const holder = document.getIn(path.slice(0, -1), true);
  const pair = isMap(holder)
    ? holder.items.find((item: Pair) => isScalar(item.key) && item.key.value === path.at(-1))
    : undefined;
  const node = isName ? pair?.key : document.getIn(path, true);
  if (!isScalar(node) || node.range === null || node.range === undefined) throw new Error(`no text at ${key(path)}`);
  return { start: node.range[0], end: node.range[1], word: String(node.value) };
}

describe('a typo in a table of spec/', () => {
  it('is refused in each value that a schema enumerates', () => {
    const judged = tables.flatMap((table) => {
      const places = getTexts(table).filter(({ isEnumerated, isName }) => isEnumerated && !isName);
      const paths = places.map(({ path }) => path);
      const told = new Set(judge(table.schema, withTypos(table.file.value, paths)).map(({ path }) => key(path)));
      return paths.map((path) => ({ place: `${table.file.name} ${key(path)}`, isRefused: told.has(key(path)) }));
    });
    expect(judged.filter(({ isRefused }) => !isRefused).map(({ place }) => place)).toEqual([]);
    expect(judged.length).toBeGreaterThan(4000);
  });

  it('is refused in each name that another table or a document defines', () => {
    const judged = tables.flatMap(({ file, references }) =>
      references
        .filter(({ at }) => !at.endsWith('~'))
        .flatMap((reference) => {
          const paths = placesIn(file.value, reference.at).map(({ path }) => path);
          const problems = referenceProblems(withTypos(file.value, paths), [reference], known);
          const told = new Set(problems.map(({ path }) => key(path)));
          return paths.map((path) => ({ place: `${file.name} ${key(path)}`, isRefused: told.has(key(path)) }));
        }),
    );
    expect(judged.filter(({ isRefused }) => !isRefused).map(({ place }) => place)).toEqual([]);
    expect(judged.length).toBeGreaterThan(2000);
  });

  it.each(
    tables.filter(
      ({ folder: kind, file: { name } }) => kind === 'rules' || name === 'v4-model-params' || name === 'v4',
    ),
  )('is refused with file and line in each kind of place of $folder/$file.name', (table) => {
    const enumerated = getTexts(table).filter(({ isEnumerated }) => isEnumerated);
    const referring = table.references.flatMap(({ at }) =>
      placesIn(table.file.value, at).map(({ path }) => ({ path, isName: at.endsWith('~') })),
    );
    const wrong = [...oneOfEach(enumerated), ...oneOfEach(referring)].flatMap((place) => {
      const { said, line } = refusal(table, place);
      const isNamed = said.includes(`${table.file.name}.yaml, line ${line}, `);
      return isNamed ? [] : [`${key(place.path)}, line ${line}: ${said}`];
    });
    expect(wrong).toEqual([]);
  });

  it('cannot hide in a word that no schema lists, no reference names and no table defines', () => {
    const free = tables.flatMap((table) => {
      const referring = new Set(
        table.references.flatMap(({ at }) => placesIn(table.file.value, at).map(({ path }) => key(path))),
      );
      return getTexts(table)
        .filter(({ path, isEnumerated }) => !isEnumerated && !referring.has(key(path)))
        .map(({ path, word, isName }) => ({ word, kind: getKind(table, path, isName) }));
    });
    const prose = new Set(free.filter(({ word }) => !/^[\w@./*:-]+$/.test(word)).map(({ kind }) => kind));
    const words = new Set(free.filter(({ kind }) => !prose.has(kind)).map(({ kind }) => kind));
    expect([...words].toSorted()).toEqual(definitions);
  });

  it('has a place in a table whose objects take no unknown member', () => {
    const open = [...schemas].flatMap(([name, schema]) => openObjects(schema).map((place) => `${name} ${place}`));
    // The rows of this schema are closed where other schemas use it, by unevaluatedProperties.
    expect(open).toEqual(['requirements /$defs/Common']);
  });
});

/** Returns the paths of the object schemas within a schema that accept unlisted members. */
function openObjects(schema: JsonValue, place = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  // An `if` only chooses another schema, and need not be closed.
  const members = Object.entries(schema).filter(([name]) => name !== 'if');
  const inner = members.flatMap(([name, value]) => openObjects(value, `${place}/${name}`));
  if (Array.isArray(schema) || schema['type'] !== 'object') return inner;
  const { additionalProperties: others, unevaluatedProperties: unevaluated } = schema;
  const isClosed = (others !== undefined && others !== true) || unevaluated === false;
  return isClosed ? inner : [place, ...inner];
}
