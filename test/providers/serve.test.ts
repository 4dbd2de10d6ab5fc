import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { endProcesses } from '../support/end-processes.ts';
import { readControls } from '../support/provider-stub/read-controls.ts';
import { type ProviderStub, startProviderStub, stubKey } from '../support/provider-stub/start-provider-stub.ts';
import { testKey } from '../support/start-backend.ts';

/**
 * This file tests `svc serve` with a providers file, as an operator runs it: a task of each generation reaches its
 * provider.
 */

let folder: string;
let stub: ProviderStub;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-providers-'));
  stub = await startProviderStub();
});
afterEach(async () => {
  await endProcesses(started.splice(0));
  await stub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function serve(...args: readonly string[]): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  const data = ['--data', join(folder, 'data'), '--port', '0', '--hosts', 'simulated', '--bootstrap-key', testKey];
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', ...data, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, STUB_KEY: stubKey },
  });
  started.push(child);
  return child;
}

async function readAddress(child: ReturnType<typeof serve>): Promise<string> {
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('listening on ')) return line.slice('listening on '.length);
  throw new Error('it ended without an address');
}

function providersFile(lines: readonly string[]): string {
  const file = join(folder, 'providers.yaml');
  writeFileSync(file, ['providers:', ...lines].join('\n'));
  return file;
}

it('asks the providers of its file with the reasoning of the task, and shows no key', async () => {
  const file = providersFile([
    `  openai: { apiKey: "\${STUB_KEY}", baseUrl: "${stub.address}/openai/v1" }`,
    `  anthropic: { apiKey: "\${STUB_KEY}", baseUrl: "${stub.address}/anthropic" }`,
    `  google: { apiKey: "\${STUB_KEY}", baseUrl: "${stub.address}/google" }`,
  ]);
  const child = serve('--providers', file, '--log-level', 'debug');
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const address = await readAddress(child);
  const task = 'Say that you are done.';
  const rows = [
    { version: 'v4', path: '/runs', body: { task, model: 'gpt-5.6-luna' }, want: { reasoning: { effort: 'xhigh' } } },
    {
      version: 'v3',
      path: '/sessions',
      body: { task, model: 'svc-max', thinkingLevel: 'low' },
      want: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    },
    {
      version: 'v2',
      path: '/tasks',
      body: { task, llm: 'gemini-2.5-flash', thinkingLevel: 'disabled' },
      want: { thinkingConfig: { thinkingBudget: 0 } },
    },
  ] as const;
  const answers: unknown[] = [];
  for (const { version, path, body, want } of rows) {
    const before = stub.requests.length;
    const api = createApiClient(address, testKey, version);
    const { body: made } = await api.call('POST', path, body);
    const ended = await api.until(String(made['id']), isOver, 60_000);
    answers.push(made, ended);
    const [first] = stub.requests.slice(before);
    expect(first === undefined ? 'no request' : readControls(first)).toEqual(want);
    expect(JSON.stringify(first?.body)).toContain(task);
  }
  expect(stub.problems).toEqual([]);
  child.kill('SIGTERM');
  expect(JSON.stringify(answers)).not.toContain(stubKey);
  expect(await said).not.toContain(stubKey);
});

function isOver({ status }: { readonly [member: string]: unknown }): boolean {
  return ['completed', 'failed', 'cancelled', 'finished', 'stopped', 'error', 'idle'].includes(String(status));
}

it('a file that cannot be used ends the start with exit code 2 and its mistakes', async () => {
  const child = serve(
    '--providers',
    providersFile(['  acme: { apiKey: "sk-secret" }', '  openai: { apiKey: "${NO_KEY}" }']),
  );
  const [said, [code]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'exit')]);
  expect({ said, code }).toEqual({ said: expect.stringMatching(/acme.*NO_KEY/), code: 2 });
  expect(said).not.toContain('sk-secret');
});
