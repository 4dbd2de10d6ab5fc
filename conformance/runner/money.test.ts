import { describe, expect, it } from 'vitest';
import { toDecimal, compareDecimals } from '../core/decimal.ts';
import { isJsonObject, parseJson } from '../core/json.ts';
import { planOf, run } from './run.ts';
import { fakeConnectors } from '../testing/fake-connectors.ts';
import { fakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { failingIds, judgeFake } from '../testing/judge-fake.ts';
import type { RunOptions } from './settings.ts';

const dispatching = new Set(['/api/v3/sessions', '/api/v4/runs']);

describe('money', () => {
  it('goes with every task that is dispatched, as a ceiling', async () => {
    const sent: object[] = [];
    const report = await judgeFake({
      onRequest: ({ method, path, text }) => {
        const body = parseJson(text);
        if (method === 'POST' && dispatching.has(path) && isJsonObject(body)) sent.push(body);
      },
    });
    expect(failingIds(report)).toEqual([]);
    expect(sent.length).toBeGreaterThan(200);
    expect(sent.filter((body) => !('maxCostUsd' in body))).toEqual([]);
  });

  it.each(['0', '0.04', '0.11', '0.2', '0.36', '0.5'])(
    'is never spent beyond a limit of %s by a target that uses up every ceiling',
    async (maxCostUsd) => {
      const report = await judgeFake({ habits: ['spends the whole ceiling'], options: { maxCostUsd } });
      expect(compareDecimals(toDecimal(report.spentUsd), toDecimal(maxCostUsd))).toBeLessThanOrEqual(0);
      expect([report.ended, report.left, failingIds(report)]).toEqual(['costLimit', [], []]);
    },
  );

  it('is enough for a run that stays below its limit, even where every ceiling is used up', async () => {
    const report = await judgeFake({ habits: ['spends the whole ceiling'], options: { maxCostUsd: '4' } });
    expect([report.ended, failingIds(report)]).toEqual(['complete', []]);
    expect(report.requirements.filter(({ reason }) => reason?.includes('used up its ceiling'))).not.toEqual([]);
  });

  it('is estimated before anything is sent', () => {
    const target = fakeTarget('http://127.0.0.1:1');
    const options: RunOptions = { target, apiKey: fakeKey, spend: 'task' };
    expect(planOf(options).estimate).toMatchObject({
      dispatches: 25,
      expectedUsd: null,
      limitUsd: null,
      notes: ['a V2 task takes no ceiling and counts as 0.05 (prices.taskV2 of the target file is null)'],
    });
    expect(planOf({ ...options, maxCostUsd: '0.3' }).estimate).toMatchObject({ atMostUsd: '0.3', limitUsd: '0.3' });
    const prices = { ...target.prices, taskV2: '0.1', taskV3: '0.02', taskV4: '0.03' };
    const only = ['v2-tasks'];
    const priced = planOf({ ...options, only, target: { ...target, prices } }).estimate;
    // One browser is active beside the task that is stopped.
    expect(priced).toMatchObject({ atMostUsd: '2.545', expectedUsd: '2.500334', browsers: 1 });
    expect(planOf({ target, apiKey: fakeKey }).estimate).toMatchObject({ dispatches: 0, atMostUsd: '0', notes: [] });
  });

  it('counts the browsers of a run', async () => {
    const service = await startFakeService();
    const target = fakeTarget(service.url);
    const options: RunOptions = {
      target,
      apiKey: fakeKey,
      spend: 'browser',
      seed: 1,
      ratePerSecond: 0,
      only: ['browsers'],
    };
    const report = await run({ ...options, connectors: fakeConnectors });
    const browsers = report.created.filter(({ kind }) => kind === 'browser').length;
    // The plan contains three further browsers: one in case another browser ends too early, and two with a profile,
    // which the fake does not offer.
    expect(report.estimate?.browsers).toBe(browsers + 3);
    expect(report.estimate?.expectedUsd).toBe('0.006667');
    await service.close();
  });
});
