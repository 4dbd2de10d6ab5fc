import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import { isJsonObject } from '#lib/json.ts';
import { runDiff } from '../src/cli/spec/run-diff.ts';

/** This file tests `svc spec diff`. It compares an OpenAPI document of this project with a copy that has one change. */

type Document = typeof v3;

const folder = mkdtempSync(join(tmpdir(), 'svc-diff-'));
const old = join(folder, 'old', 'v3.json');
beforeAll(() => {
  mkdirSync(join(folder, 'old'));
  writeFileSync(old, JSON.stringify(v3));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function changed(change: (document: Document) => unknown): string {
  const document = structuredClone(v3);
  change(document);
  const file = join(folder, 'new.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}

interface Said {
  readonly code: number;
  readonly out: string;
}

async function diff(before: string, after: string, flags: { json?: boolean; strict?: boolean } = {}): Promise<Said> {
  const out: string[] = [];
  const code = await runDiff(
    { old: before, new: after },
    { json: flags.json ?? false, strict: flags.strict ?? false },
    (line) => out.push(line),
  );
  return { code, out: out.join('\n') };
}

describe('svc spec diff', () => {
  test('finds nothing between a document and itself, its folder and itself, and the document of this package', async () => {
    for (const [before, after] of [
      [old, old],
      [join(folder, 'old'), join(folder, 'old')],
      ['v3', old],
    ] as const) {
      expect(await diff(before, after)).toEqual({
        code: 0,
        out: '0 breaking, 0 that may break, 0 that break no client',
      });
    }
  });

  test('tells what breaks with its place and why, and ends with 1', async () => {
    const said = await diff(
      old,
      changed(({ components }) => components.schemas.BuModel.enum.pop()),
    );
    expect(said.code).toBe(1);
    expect(said.out).toContain(
      'Breaks clients:\n  POST /sessions request.model: value removed "gemini-3.5-flash". A client',
    );
    expect(said.out).toContain('1 breaking, 0 that may break, 4 that break no client');
  });

  test('ends with 0 for what may break, and with 1 when told to be strict', async () => {
    const more = changed(({ components }) => components.schemas.BuAgentSessionStatus.enum.push('paused'));
    expect(await diff(old, more)).toMatchObject({ code: 0, out: expect.stringContaining('May break clients:') });
    expect(await diff(old, more, { strict: true })).toMatchObject({ code: 1 });
  });

  test('writes JSON', async () => {
    const said = await diff(
      old,
      changed(({ paths }) => Reflect.deleteProperty(paths, '/sessions/{session_id}/stop')),
      {
        json: true,
      },
    );
    expect(JSON.parse(said.out)).toMatchObject({
      schema: 'svc-spec-diff/1',
      totals: { breaking: 1, risky: 0, fine: 0 },
      changes: [{ kind: 'operationRemoved', verdict: 'breaking', where: 'POST /sessions/{session_id}/stop' }],
    });
  });

  test('finds a document that a folder lost', async () => {
    mkdirSync(join(folder, 'fewer'), { recursive: true });
    writeFileSync(join(folder, 'fewer', 'v3.json'), JSON.stringify(v3));
    writeFileSync(join(folder, 'old', 'v2.json'), JSON.stringify(v3));
    const said = await diff(join(folder, 'old'), join(folder, 'fewer'));
    rmSync(join(folder, 'old', 'v2.json'));
    expect(said).toMatchObject({ code: 1, out: expect.stringContaining('v2: document removed') });
  });

  test('reads the sources as well, which lack only the compiled rules', async () => {
    const said = await diff('generated/openapi', 'spec');
    expect(said.code).toBe(0);
    const rows = said.out.split('\n').filter((line) => line.startsWith('  '));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((line) => !line.includes(' (when '))).toEqual([]);
  });

  test('sees a model that the rules beside the sources have lost', async () => {
    cpSync('spec', join(folder, 'spec'), { recursive: true });
    const rules = join(folder, 'spec/rules/models.yaml');
    const rows = readFileSync(rules, 'utf8').split('\n');
    writeFileSync(rules, rows.filter((row) => !row.includes('name: grok-4.5')).join('\n'));
    const said = await diff('spec', join(folder, 'spec'));
    expect(said).toMatchObject({ code: 1, out: expect.stringMatching(/v4 POST \/runs request\.model: .*"grok-4\.5"/) });
  });

  test.each([
    [
      'a file that is not there',
      'nowhere.json',
      'no file at nowhere.json (ENOENT). Expected v2, v3, v4, an OpenAPI 3.1 document',
    ],
    ['a file that is no document', 'package.json', 'openapi none in package.json. Expected openapi "3.1.x"'],
    ['a file that is neither JSON nor YAML', 'src/cli/main.ts', 'no readable document in src/cli/main.ts ('],
    ['a folder without documents', 'src', 'none of v2.json, v3.json, v4.json in src'],
    ['a folder beside a document', 'spec', 'one document and one folder'],
  ])('refuses %s and says what to name', async (_name, named, message) => {
    await expect(diff(old, named)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  });
});

interface Agreement {
  readonly name: string;
  readonly change: (document: Document) => unknown;
}

const session = (document: Document): Document['components']['schemas']['Session'] =>
  document.components.schemas.Session;
const create = (document: Document): Document['components']['schemas']['CreateSession'] =>
  document.components.schemas.CreateSession;

/**
 * Changes of a document that redocly and `svc spec diff` judge equally. On purpose, they judge two other changes
 * differently: a removed request member, and a changed default.
 */
const agreements: readonly Agreement[] = [
  { name: 'nothing', change: () => undefined },
  { name: 'a model less', change: ({ components }) => components.schemas.BuModel.enum.pop() },
  { name: 'a status less', change: ({ components }) => components.schemas.BuAgentSessionStatus.enum.pop() },
  { name: 'a status more', change: ({ components }) => components.schemas.BuAgentSessionStatus.enum.push('paused') },
  {
    name: 'a member that may be null',
    change: (document) => set(session(document).properties.id, 'type', ['string', 'null']),
  },
  {
    name: 'a member that may no longer be null',
    change: (document) => set(create(document).properties.task, 'type', 'string'),
  },
  {
    name: 'a request member that may be null',
    change: (document) => set(create(document).properties.keepAlive, 'type', ['boolean', 'null']),
  },
  {
    name: 'an answer that lost a member',
    change: (document) => Reflect.deleteProperty(session(document).properties, 'createdAt'),
  },
  { name: 'an answer that may lack a member', change: (document) => session(document).required.pop() },
  { name: 'a required request member', change: (document) => set(create(document), 'required', ['model']) },
  {
    name: 'a new optional member',
    change: (document) => set(create(document).properties, 'colour', { type: 'string' }),
  },
  {
    name: 'an operation less',
    change: ({ paths }) => Reflect.deleteProperty(paths['/sessions/{session_id}'], 'delete'),
  },
  { name: 'a rule more', change: (document) => create(document).allOf.push(structuredClone(rule)) },
];
const rule = {
  if: {
    properties: { model: { enum: ['svc-mini'] }, sessionId: { type: 'null' } },
    required: ['model'],
    unevaluatedProperties: true,
  },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { thinkingLevel: { enum: ['low', null] } }, unevaluatedProperties: true },
} satisfies Document['components']['schemas']['CreateSession']['allOf'][number];

function set(target: object, name: string, value: unknown): boolean {
  return Reflect.set(target, name, value);
}

describe('redocly, which shares no code with us, agrees whether clients are at risk from', () => {
  test.each(agreements)('$name', async ({ change }) => {
    const file = changed(change);
    const ours = await diff(old, file, { strict: true });
    expect({ ours: ours.code === 1, said: ours.out }).toEqual({ ours: redoclySaysMajor(file), said: ours.out });
  });
});

function redoclySaysMajor(file: string): boolean {
  const config = join(folder, 'redocly.yaml');
  writeFileSync(config, 'extends: [diff-recommended]\n');
  const judged = spawnSync('redocly', ['diff', old, file, '--config', config, '--format', 'json'], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const report: unknown = JSON.parse(judged.stdout);
  if (!isJsonObject(report) || !Array.isArray(report['changes'])) throw new Error(`redocly: ${judged.stdout}`);
  return report['changes'].some((found) => isJsonObject(found) && found['impact'] === 'major');
}

/** Writes an OpenAPI document with the given YAML after its version; returns its path. */
function hostile(name: string, rest: string): string {
  const file = join(folder, name);
  writeFileSync(file, `openapi: 3.1.0\n${rest}\n`);
  return file;
}

/** Lines of YAML. Each line after the first contains the value of the line above nine times, through an alias. */
const aliases = [
  'a0: &a0 [x]',
  ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]`),
];

/** Returns YAML of a chain of schemas. Each schema after the first refers to the schema before it nine times. */
function references(type: string): string {
  const schemas = Array.from({ length: 9 }, (_, at) => {
    const members = Array.from({ length: 9 }, (_member, name) => [name, { $ref: `#/components/schemas/S${at}` }]);
    return [`S${at + 1}`, { type: 'object', properties: Object.fromEntries(members) }];
  });
  return `components: ${JSON.stringify({ schemas: { S0: { type }, ...Object.fromEntries(schemas) } })}`;
}

describe('a document that costs much', () => {
  test.each([
    { name: 'aliases of aliases', rest: aliases.join('\n'), said: 'aliases that repeat too much' },
    { name: 'deep lists', rest: `x: ${'['.repeat(100_000)}`, said: 'nested deeper than 256 levels' },
    { name: 'an endless file', rest: 'paths: { $ref: /dev/zero }', said: 'more than 16777216 bytes in /dev/zero' },
    {
      name: 'an address',
      rest: 'paths: { $ref: "http://127.0.0.1:9/a.yaml" }',
      said: 'a reference to http://127.0.0.1:9/a.yaml',
    },
    { name: 'a missing file', rest: 'paths: { $ref: "./no file.yaml" }', said: join(folder, 'no file.yaml') },
    { name: 'references of references', rest: references('string'), said: 'timeout reached' },
  ])('is refused with its reason: $name', async ({ rest, said }) => {
    await expect(diff('v3', hostile('hostile.yaml', rest))).rejects.toThrow(said);
  });
});
