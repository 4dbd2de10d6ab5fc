import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import { redoclyProblems } from './lint-documents.ts';

function problemsAfter(change: (document: typeof v3) => unknown): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lint-'));
  const document = structuredClone(v3);
  change(document);
  writeFileSync(join(folder, 'v3.json'), JSON.stringify(document));
  const problems = redoclyProblems([join(folder, 'v3.json')]);
  rmSync(folder, { recursive: true });
  return problems;
}

test('finds no problem in a valid document', () => {
  expect(problemsAfter(() => undefined)).toEqual([]);
});

test('reports location, message and correction', () => {
  const problems = problemsAfter(({ paths }) => Reflect.deleteProperty(paths['/sessions'].get, 'summary'));
  expect(problems).toEqual([
    expect.stringMatching(
      /v3\.json #\/paths\/~1sessions\/get\/summary: .*summary.* \(operation-summary\)\. Add summary: a few words/,
    ),
  ]);
});

test('names the documentation page of a rule without a correction', () => {
  const problems = problemsAfter(({ paths }) => Reflect.set(paths, '/sessions/', paths['/sessions']));
  expect(problems.join('\n')).toMatch(/\(no-path-trailing-slash\)\. See https:\/\/redocly\.com\/docs/);
});

test("shows redocly's output when it wrote no report", () => {
  expect(redoclyProblems(['nowhere.json'])).toEqual([expect.stringContaining('nowhere.json')]);
});
