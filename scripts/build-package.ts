import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Writes dist/: what an installed package runs, because Node strips no types under node_modules. Called by `npm pack`. */
const manifest: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
execFileSync('tsc', ['-p', 'tsconfig.library.json'], { stdio: 'inherit' });
for (const file of [
  'generated/contract',
  'generated/openapi',
  'generated/report.schema.json',
  'src/cli/require-node.mjs',
])
  cpSync(file, `dist/${file}`, { recursive: true });
writeFileSync('dist/package.json', `${JSON.stringify(built(manifest), null, 2)}\n`);

/** The manifest that governs dist/: the same names lead to JavaScript. */
function built(whole: unknown): Record<string, unknown> {
  const { version, type, engines, imports } = members(whole);
  const places = Object.entries(members(imports)).map(([name, place]) => [
    name,
    String(place).replace(/^\.\/(.*)\.ts$/, './$1.js'),
  ]);
  return { version, type, engines, imports: Object.fromEntries(places) };
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
