import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { parseJsonObject } from '../tools/generate/parse.ts';
import { createDocumentAjv } from '../tools/lint-spec/example-problems.ts';
import { createApiClient } from './support/api-client.ts';
import { testKey } from './support/start-backend.ts';

/**
 * This file tests the recipes of CONTRIBUTING.md on a copy of this tree. The recipes add a model (three data files), a
 * refusal (two files), an operation and a check (`npm run new`). While a step is missing, an error message must ask for
 * it. At the end documents, rules, types and the running service must contain the addition.
 */

const source = 'companion 4.3';
const cells = [
  {
    version: 'v2',
    schema: 'CreateTask',
    path: '/tasks',
    body: { llm: 'nova-1', thinkingLevel: 'low' },
    accepted: true,
  },
  {
    version: 'v2',
    schema: 'CreateTask',
    path: '/tasks',
    body: { llm: 'nova-1', thinkingLevel: 'medium' },
    accepted: false,
  },
  { version: 'v2', schema: 'CreateTask', path: '/tasks', body: { llm: 'nova-2' }, accepted: false },
  {
    version: 'v3',
    schema: 'CreateSession',
    path: '/sessions',
    body: { model: 'nova-1', thinkingLevel: 'high' },
    accepted: true,
  },
  {
    version: 'v3',
    schema: 'CreateSession',
    path: '/sessions',
    body: { model: 'nova-1', thinkingLevel: 'disabled' },
    accepted: false,
  },
  {
    version: 'v4',
    schema: 'CreateRun',
    path: '/runs',
    body: { model: 'nova-1', modelParams: { reasoning: { effort: 'low' } } },
    accepted: true,
  },
  {
    version: 'v4',
    schema: 'CreateRun',
    path: '/runs',
    body: { model: 'nova-1', modelParams: { reasoning: { effort: 'high' } } },
    accepted: false,
  },
] as const;

/** Files and folders that a service and its code generation need. */
const copied = [
  'spec',
  'tools',
  'src',
  'conformance',
  'generated',
  'docs',
  'fixtures',
  'test',
  'package.json',
  'tsconfig.json',
  'redocly.yaml',
];

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'svc-new-model-'));
const environment = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
};

/** Runs a command in the copy; throws with its output if it fails. */
function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a command in the copy and expects it to fail; returns its output. */
function runFailing(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env: environment, encoding: 'utf8' });
  expect(status).not.toBe(0);
  return stdout + stderr;
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} is unchanged, expected an edit`);
  writeFileSync(path, changed);
}

/** Inserts a row below the first line that ends with the heading of a list. */
const addRow = (file: string, heading: string, row: string): void =>
  edit(file, (text) => text.replace(`${heading}\n`, `${heading}\n${row}\n`));

/**
 * Replaces each gap of a file by an answer; the key of the answer is the beginning of the text of the gap. Throws for a
 * gap without an answer.
 */
const fillIn = (file: string, answers: Readonly<Record<string, string>>): void =>
  edit(file, (text) =>
    text.replaceAll(/"<fill in: ([^>"]*)>"/g, (gap, asked: string) => {
      const found = Object.entries(answers).find(([beginning]) => asked.startsWith(beginning));
      if (found === undefined) throw new Error(`${file} has the gap ${gap}, which the recipe does not answer`);
      return found[1];
    }),
  );

/** Type-checks files of the copy and their imports, except tests and browser pages. Returns the result of `runTsc`. */
function checkTypes(include: readonly string[], runTsc: (command: string, ...args: string[]) => string | void): string {
  const project = {
    extends: './tsconfig.json',
    include,
    exclude: ['**/*.test.ts', 'src/pages/live-view', 'src/pages/console', 'src/pages/request-log'],
  };
  writeFileSync(join(folder, 'tsconfig.recipes.json'), JSON.stringify(project));
  // One type checker takes half the processor time of the default of four, which repeat work.
  return runTsc('tsc', '-p', 'tsconfig.recipes.json', '--checkers', '1') ?? '';
}

const operationFiles = {
  document: 'spec/v3/operations/getNova.yaml',
  contents: 'spec/v3/openapi.yaml',
  handler: 'src/operations/v3/get-nova.ts',
  handlers: 'src/operations/v3/handlers.ts',
};
const checkFiles = {
  requirement: 'spec/requirements/purge.yaml',
  check: 'conformance/areas/purge/purge-99.ts',
  mutant: 'test/mutants/table/purge-99.ts',
};
const modelFiles = ['models.yaml', 'thinking-levels.yaml', 'model-params.yaml'];

function addModel(): void {
  const name = `name: nova-1, provider: openai, availability: native, source: ${source}`;
  edit('spec/rules/models.yaml', (text) => text.replaceAll('  models:\n', `  models:\n    - { ${name} }\n`));
  const levels = `  - { model: nova-1, levels: [low, high], family: gemini-3.1-pro, source: ${source} }`;
  for (const version of ['v3', 'v2']) addRow('spec/rules/thinking-levels.yaml', `${version}:`, levels);
  const params = `  - { model: nova-1, path: reasoning.effort, values: [low], source: ${source} }`;
  addRow('spec/rules/model-params.yaml', 'matrix:', params);
}

/** Error messages that named the missing steps while the test followed the recipes. */
const asked = { byGenerate: '', byTypes: '' };

beforeAll(() => {
  for (const entry of copied) cpSync(join(root, entry), join(folder, entry), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  addModel();
  run('node', 'tools/new.ts', 'operation', 'getNova', '--version', 'v3', '--method', 'get', '--path', '/nova');
  run('node', 'tools/new.ts', 'check', 'PURGE-99', '--area', 'purge');
  asked.byGenerate = runFailing('node', 'tools/generate.ts');
  fillIn(operationFiles.document, {
    'a few words': 'Get the nova',
    'whole sentences': 'Returns the nova.',
    contract: source,
    'a tag': 'Sessions',
    'what is answered': 'The nova.',
    '../schemas': '../schemas/Session.yaml',
  });
  fillIn(checkFiles.requirement, {
    MUST: 'MUST',
    'one sentence': 'A nova is purged.',
    contract: source,
    '[v2': '[v2]',
    http: 'http',
    none: 'none',
    documented: 'full',
  });
  const refusal = `  - { code: nova_missing, status: 404, body: detail, message: "No nova {name}", source: ${source} }`;
  edit('spec/rules/errors.yaml', (text) => text.replace(/^( {2}- \{ code: session_not_found)/m, `${refusal}\n$1`));
  edit(operationFiles.handler, (text) =>
    text
      .replace(/^/, "import { problem } from '#contract/problems.ts';\n")
      .replace(/throw new Error\([^)]*\);/, "return problem('nova_missing', {});"),
  );
  const wired = readFileSync(join(folder, operationFiles.handlers), 'utf8');
  edit(operationFiles.handlers, (text) => text.replace('  getNova,\n', ''));
  run('node', 'tools/generate.ts');
  asked.byTypes = checkTypes([operationFiles.handlers], runFailing);
  writeFileSync(join(folder, operationFiles.handlers), wired);
  edit(operationFiles.handler, (text) => text.replace("'nova_missing', {}", "'nova_missing', { name: 'one' }"));
  run('node', 'tools/pages.ts');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a model that is added to the rules', () => {
  it.each(['v2', 'v3', 'v4'])('is accepted by the documents of %s in its cells alone', (generation) => {
    const file = join(folder, `generated/openapi/${generation}.json`);
    const ajv = createDocumentAjv(parseJsonObject(readFileSync(file, 'utf8'), file));
    const judged = cells.filter(({ version }) => version === generation);
    const answers = judged.map(({ schema, body }) => {
      const validate = ajv.getSchema(`https://svc.example/document#/components/schemas/${schema}`);
      return [body, validate?.({ task: 'x', ...body })];
    });
    expect(answers).toEqual(judged.map(({ body, accepted }) => [body, accepted]));
  });

  it('is no name of the contract, and stands in the reference', () => {
    for (const version of ['v2', 'v3', 'v4'])
      expect(readFileSync(join(folder, `generated/contract/${version}.json`), 'utf8')).not.toContain('nova-1');
    expect(readFileSync(join(folder, 'docs/reference/models.md'), 'utf8').split('nova-1')).toHaveLength(4);
  });

  it('is served with its matrix', async () => {
    const args = [
      'serve',
      '--hosts',
      'simulated',
      '--port',
      '0',
      '--data',
      join(folder, 'data'),
      '--bootstrap-key',
      testKey,
    ];
    const child = spawn('node', ['src/cli/main.ts', ...args], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const address = await listening(child.stdout);
    const answers: [JsonObject, boolean][] = [];
    for (const { version, path, body } of cells) {
      const { status } = await createApiClient(address, testKey, version).call('POST', path, {
        task: 'Say hello',
        ...body,
      });
      answers.push([body, status < 300]);
    }
    child.kill('SIGTERM');
    await exited;
    expect(answers).toEqual(cells.map(({ body, accepted }) => [body, accepted]));
  });
});

describe('the recipes', () => {
  const isChanged = (file: string): boolean => {
    const original = join(root, file);
    return !existsSync(original) || readFileSync(original, 'utf8') !== readFileSync(join(folder, file), 'utf8');
  };

  it('need three files of data for a model, and no TypeScript', () => {
    const changed = globSync('spec/rules/*', { cwd: folder }).filter(isChanged);
    expect(changed.toSorted()).toEqual(
      ['spec/rules/errors.yaml', ...modelFiles.map((file) => `spec/rules/${file}`)].toSorted(),
    );
  });

  it('need two files for a refusal: its row and the call, whose missing value does not compile', () => {
    expect(isChanged('spec/rules/errors.yaml')).toBe(true);
    expect(asked.byTypes).toMatch(/get-nova\.ts.*\n?.*Property 'name' is missing/);
  });

  it('need at most six files for an operation, each requested by an error', () => {
    expect(asked.byGenerate).toContain(operationFiles.document);
    expect(asked.byTypes).toMatch(/Property 'getNova' is missing/);
    const changed = globSync(['spec/v3/**/*.yaml', 'src/**/*.ts'], { cwd: folder }).filter(isChanged);
    // The row of the operation's refusal and the script of the generated client are the other two files.
    expect(changed.toSorted()).toEqual(Object.values(operationFiles).toSorted());
  });

  it('need three files for a check: requirement, judgement and broken server', () => {
    expect(asked.byGenerate).toContain(checkFiles.requirement);
    expect(readFileSync(join(folder, checkFiles.check), 'utf8')).toContain('judges nothing yet');
    expect(readFileSync(join(folder, checkFiles.mutant), 'utf8')).toContain("breaks: 'Nothing yet.'");
    const changed = globSync(['spec/requirements/*', 'conformance/**/*.ts', 'test/mutants/**/*.ts'], { cwd: folder });
    const lists = ['conformance/areas/index.ts', 'test/mutants/all-mutants.ts'];
    expect(changed.filter(isChanged).toSorted()).toEqual([...Object.values(checkFiles), ...lists].toSorted());
  });

  it('fit the types of everything but tests', () => {
    checkTypes(['src', 'conformance', 'generated', 'tools'], run);
  });
});

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('listening on ')) return line.slice('listening on '.length);
  }
  throw new Error('it ended before it listened');
}
