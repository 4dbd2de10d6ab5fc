import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/**
 * Lints a source text as a file of the service in a temporary folder, because other tests read the sources meanwhile.
 * Returns the output.
 */
async function lintSource(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-lint-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const name of ['node_modules', 'tools']) await symlink(join(root, name), join(folder, name));
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src/example.ts'), source);
  const lint = promisify(execFile)(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix', 'src'], { cwd: folder });
  return lint.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

test('lint rejects patterns that backtrack and patterns that are put together at run time', async () => {
  const found = await lintSource(`
    export const backtracks = (text: string): boolean => /^(a+)+$/.test(text);
    export const moves = (text: string): string => text.replace(/a+$/, '');
    export const dynamic = (text: string): RegExp => new RegExp(text, 'u');
    export const isFine = (text: string): boolean => /^a+$/.test(text);
  `);
  expect(found).toContain('no-super-linear-backtracking');
  expect(found).toContain('no-super-linear-move');
  expect(found).toContain('no-dynamic-pattern');
  expect(found).not.toContain(':5:');
});

test('lint rejects constants in UPPER_CASE', async () => {
  const found = await lintSource(`
    export const TIMEOUT_MS = 5_000;
    export const LIST = [1];
    export const timeoutMs = 5_000;
    export const fromEnvironment = (environment: { HOME: string }): string => environment.HOME;
  `);
  expect(found.match(/camel-case-constants/g)).toHaveLength(2);
  expect(found).toContain('Expected timeoutMs, found TIMEOUT_MS.');
  expect(found).not.toContain(':4:');
});

test('lint rejects queries and SQL templates outside the store', async () => {
  const found = await lintSource(`
    export const builds = (db: { selectFrom(table: string): unknown }): unknown => db.selectFrom('runs');
    export const writes = (sql: (text: TemplateStringsArray) => unknown): unknown => sql\`select 1\`;
    export const isFine = (db: { close(): unknown }): unknown => db.close();
  `);
  expect(found.match(/no-sql/g)).toHaveLength(2);
  expect(found).not.toContain(':4:');
});
