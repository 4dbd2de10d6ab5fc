import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/**
 * Matches a relative path in the source of a module. The path names a program that the module starts, or data that it
 * reads.
 */
const namedPattern = /(?:join\(import\.meta\.dirname, |new URL\()'([^'\n]+\.(?:ts|mjs|json|ya?ml|md|html|css|svg))'/g;

const sources = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file));

const named = sources.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(namedPattern)].map(([, path = '']) => ({
    file,
    path: join(dirname(file), path),
  })),
);

it('every file that a module names beside its own exists', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ path }) => !existsSync(path) && !isBuilt(path))).toEqual([]);
});

/** Returns true for a file that only the build of the package creates. */
function isBuilt(path: string): boolean {
  return path === 'src/cli/main.js';
}
