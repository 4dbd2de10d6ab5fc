import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../core/exchange.ts';
import { fakeTarget } from '../../testing/fake-target.ts';
import { findUndoneRefund, isRefunded } from './scenarios-bills.ts';

const target = fakeTarget('http://127.0.0.1:1');
const browsers = target.v4?.browsers;
if (browsers === null || browsers === undefined) throw new Error('the fake target has no browsers');
const [member = ''] = browsers.costs;

function record(cost: string): Exchange {
  const json = { [member]: cost };
  const sent = { index: 0, generation: 'v4', operation: 'getBrowser', sentBy: 'test', atMs: 0, durationMs: 0 } as const;
  const request = { method: 'GET', url: 'http://127.0.0.1:1/api/v4/browsers/1', headers: {} };
  return { ...sent, request, status: 200, headers: {}, body: JSON.stringify(json), json };
}

describe('a browser for a longer time that lived shorter', () => {
  it.each([
    ['0.000001', '0.000000', true, 'by a unit of the last digit'],
    ['0.0005', '0.0002', true, 'by a unit of the last digit'],
    ['0.0006', '0.0002', false, 'by two units'],
    ['0.08', '0.02', false, 'fourfold'],
    ['0.10', '0.00', false, 'with trailing zeros'],
  ])('costs %s beside %s: refunded is %s (%s)', (long, short, want) => {
    expect(isRefunded(target, record(long), { reads: [record(short)], most: 2 })).toBe(want);
  });
});

describe('a refund', () => {
  it.each<[string, number | null, string]>([
    ['0.02 0.01 0.02', 2, 'is undone by the cost of the active browser after a lower cost'],
    ['0.01 0.01 0.03', 2, 'is undone by an even higher cost'],
    ['0.02 0.02 0.01', null, 'may become visible late'],
    ['0.01 0.01 0.01', null, 'stays'],
    ['0.01 0.015 0.015', null, 'may be smaller in the end, because of a late charge'],
    ['0 0 0.02', null, 'is not shown by a cost of 0, which may not be booked yet'],
  ])('with the costs %s: read %s (%s)', (costs, index) => {
    const reads = costs.split(' ').map((cost) => record(cost));
    const undone = findUndoneRefund(target, { active: record('0.02'), reads });
    expect(undone).toBe(index === null ? undefined : reads[index]);
  });
});
