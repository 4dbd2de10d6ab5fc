import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from './harness/ledger.ts';
import { SuiteError } from './harness/suite-error.ts';
import { clean } from './clean.ts';
import { planOf, run } from './run.ts';
import type { RunOptions } from './options.ts';
import { fakeKey, startFakeService } from './testing/fake-service.ts';
import { fakeTarget } from './testing/fake-target.ts';
import { failingIds, judgeFake } from './testing/judge-fake.ts';

describe('a replay', () => {
  it('judges one cell of one requirement again', async () => {
    const report = await judgeFake({ faults: ['one V3 cell accepted'], options: { only: ['V3-THINK-REFUSES'] } });
    const token = report.requirements[0]?.failures[0]?.replay ?? '';
    const again = await judgeFake({ faults: ['one V3 cell accepted'], options: { replay: token } });
    expect(failingIds(again)).toEqual(['V3-THINK-REFUSES']);
    expect(again.requirements[0]?.cells).toMatchObject({ judged: 1, failed: 1 });
  });

  it('sends the smallest input of a property at once', async () => {
    const found = { only: ['V3-CREATE-04'], seed: 42 };
    const report = await judgeFake({ faults: ['unknown model accepted'], options: found });
    const failure = report.requirements[0]?.failures[0];
    const again = await judgeFake({ faults: ['unknown model accepted'], options: { replay: failure?.replay ?? '' } });
    expect(again.requirements[0]?.failures[0]?.counterexample).toBe(failure?.counterexample);
    expect(again.created).toHaveLength(1);
  });

  it('refuses a word that is no token', async () => {
    await expect(judgeFake({ options: { replay: 'nonsense' } })).rejects.toThrow(SuiteError);
  });
});

describe('a run', () => {
  it('is repeatable for one seed', async () => {
    const words = async (): Promise<unknown> => {
      const report = await judgeFake({ faults: ['unknown country accepted'], options: { spend: 'none', seed: 9 } });
      return report.requirements.map(({ id, verdict, failures }) => [
        id,
        verdict,
        failures.map((one) => one.counterexample),
      ]);
    };
    expect(await words()).toEqual(await words());
  });

  it('never keeps the key', async () => {
    const report = await judgeFake({ faults: ['no key needed', 'detail is text'], options: { spend: 'none' } });
    expect(JSON.stringify(report)).not.toContain(fakeKey);
    expect(JSON.stringify(report)).not.toContain(Buffer.from(`${fakeKey}:`).toString('base64'));
  });

  it('dispatches no more than the limit and says what was left out', async () => {
    const report = await judgeFake({ options: { maxDispatches: 2 } });
    const left = report.requirements.filter(({ verdict }) => verdict === 'notRun');
    expect(left.every(({ reason }) => reason?.includes('limit of 2 dispatched tasks'))).toBe(true);
    expect(left.length).toBeGreaterThan(10);
    expect(failingIds(report)).toEqual([]);
  });

  it('shows how many acceptance cells were drawn', async () => {
    const report = await judgeFake({ options: { only: ['V3-THINK-ACCEPTS'], maxDispatches: 6 } });
    expect(report.requirements[0]).toMatchObject({ verdict: 'pass', cells: { total: 77, judged: 6, failed: 0 } });
  });

  it('stops sending after three accepted probes of one law', async () => {
    const report = await judgeFake({ faults: ['foreign path accepted'], options: { only: ['V4-PARAMS-27'] } });
    expect(report.created).toHaveLength(3);
    expect(report.requirements[0]?.cells).toMatchObject({ judged: 3, failed: 3 });
    expect(report.requirements[0]?.cells.total).toBeGreaterThan(40);
  });

  it('ends at the time limit and leaves nothing alive', async () => {
    const service = await startFakeService();
    const target = fakeTarget(service.url, {
      polling: { intervalMs: 20, startDeadlineMs: 9000, taskDeadlineMs: 9000, settleDeadlineMs: 9000 },
    });
    const report = await run({ ...options(target), spend: 'task', timeLimitMs: 400 });
    expect([report.ended, report.left, service.alive()]).toEqual(['timeLimit', [], 0]);
    expect(report.requirements.some(({ reason }) => reason?.includes('time limit'))).toBe(true);
    await service.close();
  });

  it('ends when it is interrupted and leaves nothing alive', async () => {
    const service = await startFakeService();
    const controller = new AbortController();
    const onLedger = (entries: readonly LedgerEntry[]): void => {
      if (entries.some(({ kind, state }) => kind === 'session' && state === 'live')) controller.abort();
    };
    const report = await run({
      ...options(fakeTarget(service.url)),
      spend: 'task',
      signal: controller.signal,
      onLedger,
    });
    expect([report.ended, report.left, service.alive()]).toEqual(['interrupted', [], 0]);
    await service.close();
  });

  it('ends when the costs exceed their limit', async () => {
    const report = await judgeFake({ options: { maxCostUsd: 0.01 } });
    expect(report.ended).toBe('costLimit');
    expect(Number(report.spentUsd)).toBeGreaterThan(0.01);
  });

  it('ends after a number of failed requirements', async () => {
    const report = await judgeFake({ faults: ['pair answers 400'], options: { maxFailures: 1 } });
    expect(report.ended).toBe('maxFailures');
    expect(report.totals.notRun).toBeGreaterThan(0);
  });

  it('judges nothing that needs state on a stateless target', async () => {
    const service = await startFakeService();
    const report = await run({ ...options(fakeTarget(service.url, { stateless: true })), spend: 'task' });
    expect(report.requirements.find(({ id }) => id === 'LIFE-16')).toMatchObject({ verdict: 'notTestable' });
    await service.close();
  });

  it('reports a generation that is not offered as not testable', async () => {
    const service = await startFakeService();
    const report = await run({
      ...options(fakeTarget(service.url, { v4: null })),
      only: ['v4-model-params', 'ERR-14'],
    });
    expect(report.requirements.every(({ verdict }) => verdict === 'notTestable')).toBe(true);
    expect(report.requirements.at(-1)?.reason).toBe('this target does not offer V4');
    await service.close();
  });

  it.each([
    ['unreachable', 'http://127.0.0.1:1', fakeKey],
    ['usage', undefined, fakeKey],
    ['unauthenticated', undefined, 'svc_wrong'],
  ])('throws %s before anything is judged', async (code, url, apiKey) => {
    const service = await startFakeService();
    const only = code === 'usage' ? ['V3-GET-2'] : ['V3-GET-02'];
    await expect(run({ ...options(fakeTarget(url ?? service.url)), apiKey, only })).rejects.toMatchObject({ code });
    await service.close();
  });
});

describe('a plan', () => {
  it('says what would be dispatched without sending anything', () => {
    const plan = planOf({ ...options(fakeTarget('http://127.0.0.1:1')), spend: 'task' });
    expect(plan.dispatches).toBe(25);
    expect(plan.scenarios.map(({ name }) => name)).toContain('kept-session');
  });
});

describe('cleaning up after a run', () => {
  it('ends what the ledger names', async () => {
    const service = await startFakeService();
    const target = fakeTarget(service.url);
    const created = await fetch(`${service.url}/api/v3/sessions`, {
      method: 'POST',
      headers: { 'x-service-api-key': fakeKey, 'content-type': 'application/json' },
      body: '{"task":"svc-test: slow 5","keepAlive":true}',
    });
    const record: unknown = await created.json();
    const id = typeof record === 'object' && record !== null && 'id' in record ? String(record.id) : '';
    const entry: LedgerEntry = { kind: 'session', generation: 'v3', id, createdBy: 'createSession', state: 'live' };
    expect(service.alive()).toBe(1);
    const after = await clean({ target, apiKey: fakeKey, entries: [entry] });
    expect([after[0]?.state, service.alive()]).toEqual(['ended', 0]);
    await service.close();
  });
});

function options(target: RunOptions['target']): RunOptions {
  return { target, apiKey: fakeKey, ratePerSecond: 0, seed: 1, propertyRuns: 4 };
}
