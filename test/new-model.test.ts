import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
 * A model is one or two rows of YAML and no TypeScript (CONTRIBUTING.md): on a copy of this tree a name is added for each
 * generation, and documents, rules, types and the running service know it with its matrix.
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

/** What a service and its generation are made of. */
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

/** Runs a command in the copy; throws with what it printed. */
function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
}

function rulesFile(name: string): string {
  return join(folder, 'spec/rules', name);
}

/** Puts a row below the first line that is the heading of a list. */
function addRow(file: string, heading: string, row: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(`${heading}\n`)) throw new Error(`${file} has no line ${heading}`);
  writeFileSync(file, text.replace(`${heading}\n`, `${heading}\n${row}\n`));
}

beforeAll(() => {
  for (const entry of copied) cpSync(join(root, entry), join(folder, entry), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const name = `name: nova-1, provider: openai, availability: native, source: ${source}`;
  const models = readFileSync(rulesFile('models.yaml'), 'utf8');
  writeFileSync(rulesFile('models.yaml'), models.replaceAll('  models:\n', `  models:\n    - { ${name} }\n`));
  const levels = (values: string, family: string): string =>
    `  - { model: nova-1, levels: [${values}], family: ${family}, source: ${source} }`;
  addRow(rulesFile('thinking-levels.yaml'), 'v3:', levels('low, high', 'gemini-3.1-pro'));
  addRow(rulesFile('thinking-levels.yaml'), 'v2:', levels('low, high', 'gemini-3.1-pro'));
  addRow(
    rulesFile('model-params.yaml'),
    'matrix:',
    `  - { model: nova-1, path: reasoning.effort, values: [low], source: ${source} }`,
  );
  run('node', 'tools/generate.ts');
  run('node', 'tools/pages.ts');
}, 60_000);

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

  it('fits the types of everything but tests', { timeout: 120_000 }, () => {
    const include = ['src', 'conformance', 'generated', 'tools'];
    const project = {
      extends: './tsconfig.json',
      include,
      exclude: ['**/*.test.ts', 'src/pages/live-view', 'src/pages/console', 'src/pages/request-log'],
    };
    writeFileSync(join(folder, 'tsconfig.model.json'), JSON.stringify(project));
    // Four checkers at once, as it takes unasked, judge much of the same again: together they take twice the time of a processor.
    run('tsc', '-p', 'tsconfig.model.json', '--checkers', '1');
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

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('listening on ')) return line.slice('listening on '.length);
  }
  throw new Error('it ended before it listened');
}
