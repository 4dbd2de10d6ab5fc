import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');

/**
 * Creates a project folder with the files of an example, links to all installed packages of the checkout, and this
 * package. In this folder the exports of the package refer to TypeScript sources; test/package/package.test.ts tests
 * the published exports. Returns the folders that must come first in PATH.
 */
export function fillProject(folder: string, example: string): string[] {
  cpSync(join(root, example), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "partner", "type": "module", "private": true }\n');
  const commands = join(folder, 'node_modules/.bin');
  mkdirSync(commands, { recursive: true });
  for (const name of readdirSync(modules))
    if (name !== '.bin') symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  for (const name of readdirSync(join(modules, '.bin'))) symlinkSync(join(modules, '.bin', name), join(commands, name));
  writeFileSync(join(commands, 'svc'), `#!/bin/sh\nexec node ${join(root, 'bin/svc.mjs')} "$@"\n`, { mode: 0o755 });
  installOurs(join(folder, 'node_modules/svc-contract'));
  return [commands];
}

/** Installs a copy of this package that has only the exports with a TypeScript source. */
function installOurs(folder: string): void {
  mkdirSync(folder);
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const doors = Object.keys(exports).filter((door) => findSource(exports[door]) !== undefined);
  const places = doors.map((door, at): [string, string] => [door, `./door-${at}.mjs`]);
  for (const [door, place] of places)
    writeFileSync(join(folder, place), `export * from '${String(findSource(exports[door]))}';\n`);
  const manifest = { name, type: 'module', exports: Object.fromEntries(places) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}

/**
 * Returns the source of an export: `./dist/conformance/index.js` comes from `conformance/index.ts`. Returns undefined
 * without a TypeScript source.
 */
function findSource(door: string | { readonly default?: string }): string | undefined {
  const place = typeof door === 'string' ? door : (door.default ?? '');
  const file = join(root, place.replace(/^\.\/dist\/(.*)\.js$/, './$1.ts'));
  return file.endsWith('.ts') && existsSync(file) ? file : undefined;
}
