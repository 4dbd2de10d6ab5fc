import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
/**
 * Names of files and folders that a copy of the checkout does not link to the original, because commands write them.
 */
const own = new Set(['.git', '.svc', 'reports', 'coverage', 'dist', 'NOTE.md']);

/**
 * Creates a folder that looks like a checkout and has the command `svc`. Returns the folders that must come first in
 * PATH.
 */
export function fillCheckout(folder: string): string[] {
  for (const name of readdirSync(root)) if (!own.has(name)) symlinkSync(join(root, name), join(folder, name));
  const commands = join(folder, '.commands');
  mkdirSync(commands);
  writeFileSync(join(commands, 'svc'), `#!/bin/sh\nexec node ${join(root, 'src/cli/main.ts')} "$@"\n`, { mode: 0o755 });
  return [commands, join(root, 'node_modules/.bin')];
}
