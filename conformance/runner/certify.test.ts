import { describe, expect, it } from 'vitest';
import { noStub } from '../provider-stub/index.ts';
import { registry } from '../core/requirement.ts';
import type { ReportRow } from '../core/report.ts';
import type { RunOptions } from './settings.ts';
import { planOf } from './run.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { certificateSentence } from '../report/certificate-text.ts';
import { judgeFake } from '../testing/judge-fake.ts';
import { createRow } from '../testing/create-report.ts';
import { certify } from './certify.ts';
import { certifiedIds, checkableRows, frozenSet } from './certification-options.ts';

const sets = (['v2', 'v3', 'v4'] as const).map((generation) => frozenSet(generation));
const allPass = (): ReportRow[] => registry.map(({ id, level }) => createRow(id, { level }));
const change = (id: string, row: Partial<ReportRow>): ReportRow[] =>
  allPass().map((one) => (one.id === id ? { ...one, ...row } : one));
const options = (given: Partial<RunOptions>): RunOptions => ({
  target: fakeTarget('http://127.0.0.1:1'),
  apiKey: 'svc_key',
  ...given,
});

describe.each(sets)('the frozen set of $generation', (set) => {
  it('names rows of the contract that the registry has', () => {
    const rows = set.ids.map((id) => registry.find((row) => row.id === id));
    expect(rows.every((row) => row !== undefined && (row.profile ?? 'documented') === 'documented')).toBe(true);
  });

  it('is certified when each of its MUSTs passes', () => {
    const found = certify(set, allPass());
    expect(found).toMatchObject({ certified: true, missing: [], advised: [], frozen: set.frozen });
    expect(found.passed).toBe(found.total);
    expect(found.total + found.excluded.length).toBeLessThanOrEqual(set.ids.length);
  });

  it('is not certified when any one of its MUSTs does not pass in full', () => {
    const musts = checkableRows(set).filter(({ level }) => level === 'MUST');
    for (const { id } of musts) {
      for (const verdict of ['violation', 'notTestable', 'notRun', 'error'] as const) {
        const found = certify(set, change(id, { verdict, reason: 'a reason' }));
        expect(found).toMatchObject({ certified: false, missing: [{ id, verdict, why: 'a reason' }] });
      }
      const inPart = certify(set, change(id, { cells: { total: 3, judged: 2, failed: 0 } }));
      expect(inPart).toMatchObject({ certified: false, missing: [{ id, verdict: 'pass' }] });
    }
  });

  it('is certified without what only a provider stub shows, and says so', () => {
    const [first] = checkableRows(set);
    const id = first?.id ?? '';
    const found = certify(set, change(id, { verdict: 'notTestable', reason: noStub }));
    expect(found).toMatchObject({ certified: true, missing: [] });
    expect(found.excluded).toContainEqual({ id, reason: `needs-provider-stub: ${noStub}` });
  });

  it('is not touched by a row that came after the freeze', () => {
    const later = registry.filter(({ id }) => !set.ids.includes(id));
    expect(later.length).toBeGreaterThan(0);
    const broken = allPass().map((row) =>
      set.ids.includes(row.id) ? row : { ...row, verdict: 'violation' as const, reason: 'broken' },
    );
    expect(certify(set, broken)).toMatchObject({ certified: true, missing: [] });
  });
});

describe('a run that is to certify', () => {
  it('plans the rows of its sets and every cell', () => {
    const plan = planOf(options({ certify: ['v3', 'v4'], spend: 'task' }));
    expect(new Set(plan.rows.map(({ requirement }) => requirement.id))).toEqual(new Set(certifiedIds(['v3', 'v4'])));
    expect(plan.dispatches).toBeGreaterThan(100);
  });

  it.each([
    [
      'a spend level below what the set needs',
      { spend: 'browser' },
      /--spend task: the set needs it; at most \d+ tasks/,
    ],
    ['--only', { only: ['AUTH-01'], spend: 'task' }, 'leave --only out'],
    ['--read-only', { readOnly: true, spend: 'task' }, 'leave --read-only out'],
    ['--shard', { shard: { index: 1, of: 2 }, seed: 1 }, 'leave --shard out'],
    ['another profile', { profile: 'full', spend: 'task' }, 'leave --profile full out'],
  ] as const)('is refused with %s', (_name, given, text) => {
    expect(() => planOf(options({ certify: ['v4'], ...given }))).toThrow(text);
  });

  it('certifies a service that keeps the contract, and names what another has not shown', async () => {
    const scope = { certify: ['v2', 'v4'], profile: 'documented', maxDispatches: Number.POSITIVE_INFINITY } as const;
    const tasks = { country: 'Open {url}' };
    const offers = ['v4.createProfile', 'v4.deleteProfile'] as const;
    const good = await judgeFake({ options: scope, offers, tasks });
    const sentences = good.certify?.map((certificate) => certificateSentence(certificate));
    expect(sentences).toEqual(['certified v2 (set 2026-11-20): 44 of 44', 'certified v4 (set 2026-11-20): 63 of 63']);
    const broken = await judgeFake({ faults: ['V4 list unsorted', 'no events'], options: scope, offers, tasks });
    expect(broken.certify).toMatchObject([
      { set: 'v2', certified: true },
      {
        set: 'v4',
        certified: false,
        missing: [
          { id: 'ERR-14', verdict: 'violation' },
          { id: 'EVT-01', verdict: 'violation' },
        ],
      },
    ]);
  });
});
