import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { limits, providers } from '#generated/rules.ts';

const text = readFileSync('docs/SECURITY-MODEL.md', 'utf8');
const model = text.slice(text.indexOf('## Parsers of foreign input'));
const inCode = Array.from(model.matchAll(/`([^`\s]+)`/g), ([, name = '']) => name);
const files = inCode.filter((name) => /^(?:src|conformance)\//.test(name));

it('names files that exist', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((name) => !existsSync(name))).toEqual([]);
});

it('names limits that exist', () => {
  const known = new Set([...limits.limits.map(({ limit }) => limit), ...Object.keys(providers.calls)]);
  const rows = model.split('\n').filter((line) => line.startsWith('| ') && line.split('|').length === 8);
  const named = rows.flatMap((row) => {
    const [, _input, _parser, ...bounds] = row.split('|');
    return Array.from(bounds.join(' ').matchAll(/`([^`]+)`/g), ([, name = '']) => name);
  });
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('names every file that parses something, or its folder', () => {
  const parses =
    /\bJSON\.parse\(|from 'yaml'|import\('yaml'\)|postal-mime|@fastify\/multipart|smtp-server|createGunzip|gunzipSync|createBrotli|\bparseJson\(/;
  const parsers = globSync('{src,conformance}/**/*.{ts,mjs,tsx}').filter(
    (file) => !/\.test\.tsx?$|\/testing\//.test(file) && parses.test(readFileSync(file, 'utf8')),
  );
  const isNamed = (file: string): boolean => files.some((name) => file === name || file.startsWith(`${name}/`));
  expect(parsers.length).toBeGreaterThan(50);
  expect(parsers.filter((file) => !isNamed(file))).toEqual([]);
});
