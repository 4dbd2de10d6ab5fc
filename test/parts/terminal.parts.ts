import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { startBackend, testKey } from '../support/start-backend.ts';
import { parts, systemPart } from './system-part.ts';

/**
 * This file tests that a command whose terminal is closed ends as after Ctrl-C, although it can show no more output.
 */

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');
const waits = { timeout: 60_000, interval: 50 };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-terminal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command of `svc` in a separate terminal. */
interface Shown {
  /** Returns all output that the terminal has shown. */
  text(): string;
  /** Closes the terminal; resolves to the exit code of the command. */
  close(): Promise<string>;
}

function show(...words: readonly string[]): Shown {
  const codeFile = join(folder, 'code');
  // The shell ends with its terminal, and the foreground processes get SIGHUP. A subshell ignores the signal and
  // records the exit code of the command.
  const noted = `( trap '' HUP; ${quoted([process.execPath, 'src/cli/main.ts', ...words])}; echo $? > ${codeFile} ); :`;
  const terminal = spawn(systemPart(parts.script), ['--quiet', '--command', noted, '/dev/null'], {
    env: { ...process.env, SERVICE_API_KEY: testKey, SHELL: '/bin/sh' },
  });
  let text = '';
  terminal.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    text: () => text,
    async close() {
      terminal.kill('SIGKILL');
      const code = (): string => readFileSync(codeFile, 'utf8');
      await expect.poll(() => tried(code), waits).not.toBe('');
      return code().trim();
    },
  };
}

/** Returns the result of `read`; an empty text if `read` throws. */
function tried(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

it('a run removes what it has created, and writes its report', async () => {
  const service = await startBackend();
  try {
    const target = join(folder, 'target.yaml');
    const usual = readFileSync('examples/targets/reference.yaml', 'utf8');
    writeFileSync(target, usual.replaceAll('svc-test: succeed', 'svc-test: slow 300'));
    const report = join(folder, 'report.json');
    const flags = ['--target', target, '--spend', 'task', '--only', 'v3-operations', '--rate', '0', '--trace'];
    const run = show('check', service.address, ...flags, '--report', `terminal,json=${report}`);
    const api = createApiClient(service.address);
    const living = async (): Promise<number> => {
      const { sessions } = (await api.call('GET', '/sessions')).body;
      const ended = (one: unknown): boolean => /"status":"(stopped|error|timed_out)"/.test(JSON.stringify(one));
      return Array.isArray(sessions) ? sessions.filter((one) => !ended(one)).length : 0;
    };
    await expect.poll(living, waits).toBeGreaterThan(0);
    expect(await run.close()).toBe('4');
    expect(await living()).toBe(0);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ ended: 'interrupted', left: [] });
  } finally {
    await service.stop();
  }
});

it('a service ends as it does at SIGTERM', async () => {
  const data = ['--data', join(folder, 'data'), '--hosts', 'simulated', '--no-mail', '--bootstrap-key', testKey];
  const service = show('serve', '--port', '0', ...data, '--log-level', 'debug');
  const address = (): string => /listening on (\S+)/.exec(service.text())?.[1] ?? '';
  await expect.poll(address, waits).not.toBe('');
  const { body } = await createApiClient(address()).call('POST', '/sessions', { keepAlive: true });
  expect(body).toMatchObject({ id: expect.any(String) });
  expect(await service.close()).toBe('0');
});
