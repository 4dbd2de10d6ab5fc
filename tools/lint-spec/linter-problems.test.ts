import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import { spectralProblems } from './linter-problems.ts';

function problemsAfter(change: (document: typeof v2) => unknown): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-spectral-'));
  const document = structuredClone(v2);
  change(document);
  writeFileSync(join(folder, 'v2.json'), JSON.stringify(document));
  const problems = spectralProblems([join(folder, 'v2.json')]);
  rmSync(folder, { recursive: true });
  return problems;
}

test('finds nothing in a document in order', () => {
  expect(problemsAfter(() => undefined)).toEqual([]);
});

test('says where and what, also of what Spectral only warns of', () => {
  expect(problemsAfter(({ info }) => Reflect.deleteProperty(info, 'contact'))).toEqual([
    expect.stringMatching(
      /v2\.json #\/info: Info object must have "contact" object\. \(info-contact\)\. Correct it in spec\//,
    ),
  ]);
});

test('shows what Spectral said when there is nothing to read', () => {
  const files = ['generated/openapi/v2.json', 'nowhere.json'];
  expect(spectralProblems(files)).toEqual([expect.stringMatching(/^spectral:\n[^]*nowhere\.json/)]);
});
