import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isJsonObject } from '#lib/json.ts';
import { type Report, parseTarget, run } from '#conformance/index.ts';
import { createApiClient } from './support/api-client.ts';
import { startAcceptingProxy } from './support/accepting-proxy.ts';
import { otherKey, startBackend, testKey } from './support/start-backend.ts';

const file = readFileSync(new URL('../examples/targets/reference.yaml', import.meta.url), 'utf8');

/** Maximum number of resources that the probes of one requirement may create on a target that accepts everything. */
const perLaw = 3;

/**
 * Number of requirements that a scenario probes, for each scenario that probes several. A check probes one requirement.
 */
const laws: Readonly<Record<string, number>> = {
  'session-refusals': 4,
  'task-refusals': 3,
  'run-refusals': 2,
  'refusal-side-effects': 2,
  'wrong-members': 10,
};

/**
 * Counts the resources of a run by the check or scenario that created them. A V4 run counts once, without the session
 * and workspace that the target creates with it.
 */
function byAsker({ created }: Report): [string, number][] {
  const asked = created.filter(({ kind, createdBy }) => createdBy !== 'createRun' || kind === 'run');
  const groups = Map.groupBy(asked, ({ by = 'nobody' }) => by);
  return [...groups].map(([by, entries]): [string, number] => [by, entries.length]);
}

/** Returns the generation, id and status of each session, task, run and browser of the project that has not ended. */
async function alive(address: string): Promise<unknown[]> {
  const lists = [
    ['v2', '/tasks?pageSize=100', 'items'],
    ['v3', '/sessions?page_size=100', 'sessions'],
    ['v4', '/runs?limit=100', 'runs'],
    ['v4', '/browsers?pageSize=100', 'items'],
  ] as const;
  const found = await Promise.all(
    lists.map(async ([version, path, member]) => {
      const { body } = await createApiClient(address, testKey, version).call('GET', path);
      const items = Array.isArray(body[member]) ? body[member].filter(isJsonObject) : [];
      return items.filter(({ status }) => working.has(String(status))).map(({ id, status }) => [version, id, status]);
    }),
  );
  return found.flat();
}

const working = new Set(['created', 'started', 'idle', 'running', 'queued', 'dispatching', 'active']);

it('a target that refuses no creation costs three things for each law at most, and keeps none', async () => {
  const backend = await startBackend({ activeSessionsMax: 1_000 });
  const proxy = await startAcceptingProxy(backend.address);
  const target = parseTarget({ url: proxy.address, text: file });
  const keys = { apiKey: testKey, otherApiKey: otherKey } as const;
  const report = await run({ target, ...keys, profile: 'full', ratePerSecond: 0, seed: 1 });
  expect(proxy.accepted()).toBeGreaterThan(50);
  expect(byAsker(report).filter(([asker, count]) => count > perLaw * (laws[asker] ?? 1))).toEqual([]);
  expect(report.left).toEqual([]);
  expect(await alive(backend.address)).toEqual([]);
  expect(report.totals.violations).toBeGreaterThan(20);
  await proxy.close();
  await backend.stop();
});
