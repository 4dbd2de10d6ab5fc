import { expect, it } from 'vitest';
import { createRunContext } from '../../runner/run-context.ts';
import type { Exchange } from '../../core/exchange.ts';
import { defaultTarget } from '../../core/default-target.ts';
import { judge } from '../../runner/judge.ts';
import { settle } from '../../runner/options.ts';
import { findRequirement } from '../../core/requirement.ts';
import { getListOperation, type PagedList } from './scenarios.ts';
import { pageChecks } from './checks.ts';

const ids = Array.from({ length: 250 }, (_none, index) => `id-${index}`);
const list = getListOperation('v4.listBrowsers');

function page(shown: readonly string[]): Exchange {
  const json = { items: shown.map((id) => ({ id })), totalItems: ids.length };
  return {
    index: 0,
    generation: 'v4',
    operation: 'listBrowsers',
    sentBy: 'test',
    atMs: 0,
    durationMs: 1,
    request: { method: 'GET', url: 'http://127.0.0.1:1', headers: {} },
    status: 200,
    headers: {},
    body: JSON.stringify(json),
    json,
  };
}

/**
 * Creates two readings of one list: large pages, which hold its first 200 items, and small pages of 40 items each in
 * the given order.
 */
function paged(order: readonly string[]): PagedList {
  const whole = [page(ids.slice(0, 100)), page(ids.slice(100, 200))];
  const small = Array.from({ length: 6 }, (_none, at) => page(order.slice(at * 40, at * 40 + 40)));
  return { list, whole, later: whole, isWhole: false, size: 40, small, strange: [] };
}

async function judgePages(read: PagedList): Promise<string> {
  const found = pageChecks.find(({ id }) => id === 'PAGES-12');
  const requirement = findRequirement('PAGES-12');
  if (found === undefined || requirement === undefined) throw new Error('PAGES-12 has a check and a row');
  const settings = settle({ target: { ...defaultTarget, url: 'http://127.0.0.1:1' }, apiKey: 'svc_key' });
  const context = createRunContext({ settings, signal: new AbortController().signal }).contextFor('test');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check needs only this recording
  const recording = <T>(): Promise<T> => Promise.resolve([read] as T);
  return (await judge({ requirement, check: found, context, only: undefined, recording })).verdict;
}

it.each([
  ['passes when small pages continue after the large ones', ids, 'pass'],
  ['warns when two items have changed places', ids.with(50, 'id-90').with(90, 'id-50'), 'warning'],
])('the check of page order %s', async (_name, order, verdict) => {
  expect(await judgePages(paged(order))).toBe(verdict);
});
