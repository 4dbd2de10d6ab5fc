import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gapsIn, refuseGaps } from '../generate/refuse-mistakes.ts';
import { createFolderReader } from '../generate/read-rules.ts';
import type { Made } from './edits.ts';
import { plan } from './plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-new-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the planned changes of a command line such as `npm run new -- model nova-1` in this repository. */
const made = (line: string): Made => planned(line.split(' ').slice('npm run new --'.split(' ').length));

const planned = (words: readonly string[]): Made =>
  plan(words, {
    read: (file) => readFileSync(file, 'utf8'),
    exists: existsSync,
    list: (pattern) => globSync(pattern),
  });

/** Returns the new lines of a planned file. */
const added = ({ files }: Made, file: string): string[] => {
  const before = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  return (files.get(file) ?? '').split('\n').filter((line) => !before.has(line));
};

/** Writes the planned files below the temporary folder of this test. `change` may change each text. */
const write = ({ files }: Made, change = (text: string): string => text): void => {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), change(text));
  }
};

describe('npm run new', () => {
  it('adds the rows of a model, which are refused until they are filled in and read as rules then', () => {
    const model = made('npm run new -- model nova-1');
    expect([...model.files.keys()].map((file) => added(model, file).length)).toEqual([3, 2, 1]);
    write(model);
    expect(gapsIn(join(folder, 'spec'))).toHaveLength(3 * 3 + 2 * 3 + 3);
    expect(() => refuseGaps(join(folder, 'spec'))).toThrow(/models\.yaml:\d+: as in spec\/rules\/providers\.yaml/);
    const answers: [RegExp, string][] = [
      [/"<fill in: as in[^>]*>"/g, 'openai'],
      [/"<fill in: native[^>]*>"/g, 'native'],
      [/"<fill in: contract[^>]*>"/g, 'companion 4.3'],
      [/"<fill in: \[disabled[^>]*>"/g, '[low, high]'],
      [/"<fill in: a row[^>]*>"/g, 'gemini-3.1-pro'],
      [/"<fill in: member[^>]*>"/g, 'reasoning.effort'],
      [/"<fill in: \[low[^>]*>"/g, '[low]'],
    ];
    write(model, (text) => answers.reduce((all, [gap, answer]) => all.replace(gap, answer), text));
    expect(gapsIn(join(folder, 'spec'))).toEqual([]);
    const files = createFolderReader()(join(folder, 'spec/rules'), (name) => name);
    const rules = JSON.stringify(files.map(({ value }) => value));
    expect(rules.split('nova-1')).toHaveLength(7);
    rmSync(join(folder, 'spec'), { recursive: true });
  });

  it('makes an operation at a path that is there, and at a new one, with its handler', () => {
    const there = made('npm run new -- operation countRuns --method put --path /runs');
    expect(parse(there.files.get('spec/v4/openapi.yaml') ?? '').paths['/runs']).toMatchObject({
      get: { $ref: './operations/listRuns.yaml' },
      put: { $ref: './operations/countRuns.yaml' },
    });
    const fresh = made('npm run new -- operation getThing --version v3 --method get --path /things/{id}');
    const { paths, components } = parse(fresh.files.get('spec/v3/openapi.yaml') ?? '');
    expect(paths['/things/{id}']).toEqual({ get: { $ref: './operations/getThing.yaml' } });
    expect(components).toEqual(parse(readFileSync('spec/v3/openapi.yaml', 'utf8')).components);
    expect(parse(fresh.files.get('spec/v3/operations/getThing.yaml') ?? '')).toMatchObject({ operationId: 'getThing' });
    expect(fresh.files.get('src/operations/v3/get-thing.ts')).toContain('getThing decides nothing yet');
    expect(added(fresh, 'src/operations/v3/handlers.ts')).toEqual([
      "import { getThing } from './get-thing.ts';",
      '  getThing,',
    ]);
  });

  it('makes a check that fails and a mutant that survives, each in its list', () => {
    const check = made('npm run new -- check PURGE-99 --area purge');
    expect(check.files.get('spec/requirements/purge.yaml')?.split('- id: ')).toHaveLength(3);
    expect(check.files.get('conformance/areas/purge/purge-99.ts')).toContain("check('PURGE-99', {}");
    expect(added(check, 'conformance/areas/index.ts')).toEqual([
      "import { purge99Checks } from './purge/purge-99.ts';",
      '  ...purge99Checks,',
    ]);
    expect(added(check, 'test/mutants/all-mutants.ts')).toEqual([
      "import { purge99Mutants } from './table/purge-99.ts';",
      '  ...purge99Mutants,',
    ]);
    const law = parse(
      made('npm run new -- check LAW-99 --area laws-stateful').files.get('spec/requirements/laws-stateful.yaml') ?? '',
    );
    expect(law.requirements.at(-1)).toMatchObject({ id: 'LAW-99' });
  });

  it('copies the documents of V4 into a new generation', () => {
    const { files, next } = made('npm run new -- version v5');
    const root = parse(files.get('spec/v5/openapi.yaml') ?? '');
    expect([root.info.version, root.servers[0].url]).toEqual(['5.0.0', 'https://api.svc.example/api/v5']);
    expect(files.has('spec/v5/operations/createRun.yaml')).toBe(true);
    expect(files.get('src/operations/v5/handlers.ts')).toContain('v5Handlers');
    expect(next.length).toBeGreaterThan(3);
  });

  it('plans a generation from the files of its tree alone', () => {
    const tree = { read: () => 'servers: /api/v4', exists: () => false, list: () => ['spec/v4/openapi.yaml'] };
    const { files } = plan(['version', 'v5'], tree);
    expect([...files.keys()]).toEqual(['spec/v5/openapi.yaml', 'src/operations/v5/handlers.ts']);
    expect(files.get('spec/v5/openapi.yaml')).toBe('servers: /api/v5');
  });

  it.each([
    [[], 'expected model, operation, check, version'],
    [['model'], 'expected model, operation'],
    [['model', 'glm-5.2'], 'already'],
    [['model', 'No Model'], 'expected one such as nova-1.5'],
    [['operation', 'getThing'], 'expected such as --method get'],
    [['operation', 'getRun', '--method', 'get', '--path', '/runs/{run_id}'], 'getRun.yaml already'],
    [['operation', 'countRuns', '--method', 'get', '--path', '/runs'], 'get /runs already'],
    [['operation', 'getThing', '--version', 'v9', '--method', 'get', '--path', '/t'], 'expected --version'],
    [['check', 'PURGE-01', '--area', 'purge'], 'ids are permanent'],
    [['check', 'purge', '--area', 'purge'], 'such as PURGE-02'],
    [['version', 'v4'], 'such as v5'],
    [['check', 'PURGE-02', '--ares', 'purge'], "Unknown option '--ares'"],
  ])('says what is wrong with %j', (words, sentence) => {
    expect(() => planned(words)).toThrow(sentence);
  });
});
