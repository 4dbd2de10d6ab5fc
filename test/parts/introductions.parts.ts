import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StartedMock } from '../../src/cli/mock/mock-flags.ts';
import { readExamples } from '../docs/introductions.ts';
import { introductionKey, startIntroductionMock } from '../docs/introduction-mock.ts';

/**
 * This file tests that the Python examples of the introductions need nothing but `python3`. On a machine without Python
 * this test fails.
 */

const folder = mkdtempSync(join(tmpdir(), 'svc-introductions-'));
let mock: StartedMock;
beforeAll(async () => {
  mock = await startIntroductionMock();
});
afterAll(async () => {
  await mock.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(['v4', 'v3', 'v2'] as const)('the first request of %s in Python prints the result', async (version) => {
  const [program = ''] = readExamples(version, 'python');
  const file = join(folder, `${version}.py`);
  writeFileSync(file, program);
  const env = { ...process.env, SERVICE_URL: mock.address, SERVICE_API_KEY: introductionKey };
  // -I: ignores the folder and the user's packages. -W error: treats a warning of Python as an error.
  const { stdout } = await promisify(execFile)('python3', ['-I', '-W', 'error', file], { env, timeout: 120_000 });
  expect(stdout).toMatch(/^(?:completed|stopped|idle|finished) .*example/i);
});
