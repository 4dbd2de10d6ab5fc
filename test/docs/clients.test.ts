import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMock } from '#mock/create-mock.ts';
import { mockCommand } from '../../src/cli/commands/mock.ts';
import { createLog } from '../../src/cli/create-log.ts';
import { type StartedBackend, startBackend, testKey } from '../support/start-backend.ts';

/**
 * This file tests that programs written from the guides and the reference alone work unchanged with every server of the
 * API.
 */

const hasPython = spawnSync('python3', ['--version']).status === 0;
const programs = ['v2.ts', 'v3.ts', 'v4.ts', ...(hasPython ? ['v4.py'] : [])];
const key = testKey;
const started: ChildProcess[] = [];
/** Timeout for reading the documents of three generations and starting processes, on a busy machine. */
const startMs = 300_000;

/** Runs a partner's program; returns its exit code and its standard output. */
async function run(program: string, url: string): Promise<{ code: unknown; printed: string }> {
  const env = { ...process.env, SERVICE_URL: url, SERVICE_API_KEY: key };
  // -W error: a warning of Python is a fault.
  const [command, words] = program.endsWith('.py') ? ['python3', ['-I', '-W', 'error']] : [process.execPath, []];
  const child = spawn(command, [...words, `examples/clients/${program}`], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code, printed };
}

/** Starts `svc` and returns the address at which `svc` listens. Throws if `svc` ends before it listens. */
async function start(...words: string[]): Promise<string> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('it ended before it listened');
}

let reference: StartedBackend;
const mock = createMock({ apiKey: key, dynamic: false, faultRate: 0, seed: 1, log: createLog('error') });
let mockAddress: string;
beforeAll(async () => {
  reference = await startBackend();
  mockAddress = await (await mock).listen(0, '127.0.0.1');
}, startMs);
afterAll(async () => {
  for (const child of started) child.kill();
  await reference.stop();
  await (await mock).close();
});

describe('a client that was written from the guides', () => {
  it.each(programs)('%s works on the reference', { timeout: startMs }, async (program) => {
    expect(await run(program, reference.address)).toMatchObject({ code: 0, printed: expect.stringContaining('ready') });
  });

  it.each(programs)('%s works on the mock', { timeout: startMs }, async (program) => {
    expect(await run(program, mockAddress)).toMatchObject({
      code: 0,
      printed: expect.stringContaining('Example Domain'),
    });
  });

  const stateful = mockCommand().options.some(({ long }) => long === '--stateful');
  it.runIf(stateful)('all of them work on the stateful mock', { timeout: startMs }, async () => {
    const address = await start('mock', '--stateful', '--speed', '10', '--port', '0', '--api-key', key);
    for (const program of programs) expect(await run(program, address)).toMatchObject({ code: 0 });
  });
});
