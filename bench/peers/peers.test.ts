import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'svc-peers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  { given: ['--only', 'Dred'], want: 'found Dred. Expected one or more of: svc check,' },
  { given: ['--only', 'svc check', '--classes', 'crashes'], want: 'found crashes. Expected one or more of:' },
  { given: ['--only', 'svc check', '--per-class', 'few'], want: 'few' },
])('refuses $given and writes no evidence', ({ given, want }) => {
  const page = join(folder, 'page.md');
  const args = ['bench/peers.ts', ...given, '--minutes', '0', '--runs', join(folder, 'runs'), '--page', page];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toContain(want);
  expect(status).toBe(1);
  expect(existsSync(page)).toBe(false);
});
