import { expect, it } from 'vitest';
import type { Exchange } from '../../core/exchange.ts';
import { createAnswer, judgeRequirement } from '../../testing/judge-requirement.ts';
import { getListOperation, type PagedList } from './scenarios.ts';

const ids = Array.from({ length: 250 }, (_none, index) => `id-${index}`);
const list = getListOperation('v4.listBrowsers');

function page(shown: readonly string[]): Exchange {
  const json = { items: shown.map((id) => ({ id })), totalItems: ids.length };
  return createAnswer(200, json, 'listBrowsers');
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

it.each([
  ['passes when small pages continue after the large ones', ids, 'pass'],
  ['warns when two items have changed places', ids.with(50, 'id-90').with(90, 'id-50'), 'warning'],
])('the check of page order %s', async (_name, order, verdict) => {
  expect(await judgeRequirement('PAGES-12', { recorded: [paged(order)] })).toMatchObject({ verdict });
});
