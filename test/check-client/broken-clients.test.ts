import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listClientRules } from '#conformance/index.ts';
import { checkClient } from '../../src/library/index.ts';
import { type BrokenClient, brokenClients } from './broken-clients.ts';
import { buildBrokenClient } from './build-broken-client.ts';

/**
 * `npm test` runs a broken client for every third rule; `npm run long -- clients` runs every broken client, as
 * SVC_MUTANTS=all does.
 */
const isWhole = process.env['SVC_MUTANTS'] === 'all';
const sample = brokenClients
  .filter(({ rule }, at) => brokenClients.findIndex((one) => one.rule === rule) === at)
  .filter((_broken, at) => at % 3 === 0);
const chosen = isWhole ? brokenClients : sample;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Number of clients that run at the same time. They wait most of the time. */
const atOnce = 3;

const results = new Map<string, Found>();
beforeAll(async () => {
  const waiting = [...chosen];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results.set(next.name, await judge(next));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}, 900_000);

describe('a broken client', () => {
  it('exists for every rule, and there are at least 60', () => {
    const broken = new Set(brokenClients.map(({ rule }) => rule));
    expect(listClientRules().filter(({ id }) => !broken.has(id))).toEqual([]);
    expect(brokenClients.length).toBeGreaterThanOrEqual(60);
  });

  it.each(chosen)('that $name is caught by $rule alone', ({ name }) => {
    const { rule, found, texts } = results.get(name) ?? { rule: '', found: ['nothing was run'], texts: [] };
    expect({ found, texts }).toEqual({ found: [rule], texts });
  });
});

interface Found {
  readonly rule: string;
  readonly found: readonly string[];
  readonly texts: readonly string[];
}

/** Runs a broken client in its trials, and judges it by every rule of these trials. */
async function judge(broken: BrokenClient): Promise<Found> {
  const own = listClientRules([broken.rule])[0]?.trials ?? [];
  const { folder, adapter } = buildBrokenClient(broken);
  folders.push(folder);
  const report = await checkClient({
    command: [process.execPath, adapter],
    only: broken.trials ?? own,
    concurrency: 2,
  });
  const found = report.requirements.filter(({ verdict }) => verdict === 'violation' || verdict === 'warning');
  const texts = found.flatMap(({ id, failures }) => failures.map(({ message }) => `${id}: ${message}`));
  return { rule: broken.rule, found: found.map(({ id }) => id), texts };
}
