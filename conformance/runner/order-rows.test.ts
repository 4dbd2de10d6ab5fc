import { describe, expect, it } from 'vitest';
import { cheapFirst, namesOfMany, typicalRequests, groupByPhase } from './order-rows.ts';
import { checks } from '../areas/index.ts';
import type { RunOptions } from './settings.ts';
import { planOf } from './run.ts';
import { scenarios } from '../areas/scenarios.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { failingIds, judgeFake } from '../testing/judge-fake.ts';

const target = fakeTarget('http://127.0.0.1:1', {});
const { rows } = planOf({ target, apiKey: 'svc_none', spend: 'task', profile: 'full', seed: 1 });
const batches = cheapFirst(rows, target);
const phases = groupByPhase(rows, target);

describe('what is cheap first', () => {
  it('judges every row once, and what comes last still last', () => {
    const listIds = (lists: readonly (readonly { requirement: { id: string } }[])[]): string[] =>
      lists.flat().map(({ requirement }) => requirement.id);
    expect(listIds(batches).toSorted()).toEqual(listIds(phases).toSorted());
    expect(batches.slice(-4)).toEqual(phases.slice(-4));
  });

  it('drives every scenario before it judges rows that only read the recording', () => {
    const last = phases.at(-1) ?? [];
    expect(last.length).toBeGreaterThan(0);
    expect(last.filter(({ check }) => (check?.needs(target) ?? []).length > 0)).toEqual([]);
  });

  it('begins with few requests, and mixes no phases in a batch', () => {
    const names = new Set(batches[0]?.flatMap(({ check }) => check?.needs(target).map(({ name }) => name) ?? []));
    expect([...names].reduce((sum, name) => sum + typicalRequests(name), 0)).toBeLessThanOrEqual(12);
    const jobPhase = new Map(phases.flatMap((phase, at) => phase.map((row) => [row, at])));
    for (const batch of batches.filter(({ length }) => length > 0))
      expect(new Set(batch.map((row) => jobPhase.get(row))).size).toBe(1);
  });

  it('knows nothing that neither a scenario nor a check is called', () => {
    const known = new Set<string>([...scenarios.map(({ name }) => name), ...checks.map(({ id }) => id)]);
    expect(namesOfMany.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('a run that ends at its first failures', () => {
  const whole: Partial<RunOptions> = { spend: 'task', profile: 'full', seed: 1 };

  it('meets a fault of many answers before the tables are sent', async () => {
    const fake = { faults: ['detail is text'] } as const;
    const long = await judgeFake({ ...fake, options: { ...whole, maxFailures: 1, cheapFirst: false } });
    const short = await judgeFake({ ...fake, options: { ...whole, maxFailures: 1 } });
    expect([long.ended, short.ended]).toEqual(['maxFailures', 'maxFailures']);
    expect(failingIds(short)).toContain('ERR-01');
    expect(short.exchangeCount).toBeLessThan(long.exchangeCount / 4);
    expect(short.left).toEqual([]);
  });

  it('counts what it has met early once, and shows at the end all that was found of it', async () => {
    const fake = { faults: ['detail is text'] } as const;
    const options = { ...whole, spend: 'none', only: ['ERR-01', 'ERR-05'] } as const;
    const plain = await judgeFake({ ...fake, options });
    const limited = await judgeFake({ ...fake, options: { ...options, maxFailures: failingIds(plain).length + 1 } });
    expect(limited.ended).toBe('complete');
    expect(failingIds(limited)).toEqual(failingIds(plain));
    const found = limited.requirements.find(({ id }) => id === 'ERR-01')?.failures.length;
    expect(found).toBe(plain.requirements.find(({ id }) => id === 'ERR-01')?.failures.length);
  });
});
