import { describe, expect, it } from 'vitest';
import { clean } from '../runner/clean.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import { defaultTarget } from '../core/default-target.ts';
import type { Target } from '../core/target.ts';
import type { Report } from '../core/report.ts';
import { run } from '../runner/run.ts';
import { browserRows } from '../testing/browser-mutants.ts';
import { fakeConnectors } from '../testing/fake-connectors.ts';
import { fakeKey, otherFakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { type Fault, type AllowedVariation, allowedVariations } from '../testing/faults.ts';
import type { CountryRun, CountryRuns } from './browsers/scenarios-egress.ts';
import { failingIds } from '../testing/judge-fake.ts';
import { createAnswer, judgeRequirement, unservedTarget } from '../testing/judge-requirement.ts';

type Browsers = NonNullable<NonNullable<Target['v4']>['browsers']>;

interface Deployment {
  habits?: readonly AllowedVariation[];
  faults?: readonly Fault[];
  /** Members that replace those of `v4.browsers`; null for a target without browsers. */
  browsers?: Partial<Browsers> | null;
  change?: Partial<Target>;
}

/**
 * Deadlines that a deployment without faults meets even on a busy machine. Not used for a deployment with a fault,
 * because the suite would wait until they pass.
 */
const patient = { intervalMs: 1, startDeadlineMs: 5000, taskDeadlineMs: 5000, settleDeadlineMs: 3000 };

async function judgeBrowsers({ habits: own = [], faults = [], browsers = {}, change = {} }: Deployment): Promise<{
  report: Report;
  alive: number;
}> {
  const service = await startFakeService(faults, { habits: own });
  const target = fakeTarget(service.url, faults.length === 0 ? { polling: patient, ...change } : change);
  const base = target.v4?.browsers ?? null;
  const offered = browsers === null || base === null ? null : { ...base, ...browsers };
  const report = await run({
    target: { ...target, v4: target.v4 === null ? null : { ...target.v4, browsers: offered } },
    transport: service.transport,
    apiKey: fakeKey,
    otherApiKey: otherFakeKey,
    profile: 'full',
    spend: 'browser',
    only: browserRows,
    ratePerSecond: 0,
    propertyRuns: 5,
    seed: 1,
    connectors: fakeConnectors,
  });
  const alive = service.alive();
  await service.close();
  return { report, alive };
}

function listVerdicts(report: Report, ids: readonly string[]): string[] {
  return report.requirements.filter(({ id }) => ids.includes(id)).map(({ verdict }) => verdict);
}

function findReason(report: Report, id: string): string {
  return report.requirements.find((row) => row.id === id)?.reason ?? '';
}

describe('a deployment that does what the contract leaves open', () => {
  const others: readonly AllowedVariation[] = [
    'records show no status',
    'CDP address works once',
    // Variations of sessions, which conformance/runner/mutants.test.ts judges.
    'live page redirects to its viewer',
    'live page redirects with a cookie',
    'fetch with a query is refused',
  ];

  it.each(allowedVariations.filter((habit) => !others.includes(habit)))('passes: %s', async (habit) => {
    const { report, alive } = await judgeBrowsers({ habits: [habit] });
    expect(failingIds(report)).toEqual([]);
    expect(listVerdicts(report, ['V4-BROWSER-17', 'V4-BROWSER-18', 'SVC-03'])).toEqual(['pass', 'pass', 'pass']);
    expect([report.left, alive]).toEqual([[], 0]);
  });

  it.each([
    ['a fetch', { get: null }],
    ['a list', { list: null }],
    ['both', { get: null, list: null }],
  ])('passes without %s', async (_, browsers) => {
    const { report, alive } = await judgeBrowsers({ browsers });
    expect(failingIds(report)).toEqual([]);
    expect(listVerdicts(report, ['V4-BROWSER-18', 'V4-BROWSER-19'])).toEqual(['pass', 'pass']);
    expect([report.left, alive]).toEqual([[], 0]);
  });

  it('passes without a fetch and with a second stop refused', async () => {
    const { report } = await judgeBrowsers({ habits: ['second stop is refused'], browsers: { get: null } });
    expect([failingIds(report), report.left]).toEqual([[], []]);
  });

  it('passes without a state in its records', async () => {
    const { report } = await judgeBrowsers({ habits: ['records show no status'], browsers: { statusIn: null } });
    expect([failingIds(report), report.left]).toEqual([[], []]);
  });

  it('passes with its own word for the state', async () => {
    const { report } = await judgeBrowsers({ browsers: { ended: ['over', 'stopped'] } });
    expect(failingIds(report)).toEqual([]);
  });

  it.each<[string, Deployment]>([
    ['one client at a time', { faults: ['one CDP client at a time'] }],
    ['addresses that work once, with a fresh one in every record', { habits: ['CDP address works once'] }],
  ])('passes all but one MAY with %s', async (_, deployment) => {
    const { report } = await judgeBrowsers(deployment);
    expect(report.requirements.find(({ id }) => id === 'V4-BROWSER-22')?.verdict).toBe('note');
    expect(failingIds(report)).toEqual(['V4-BROWSER-22']);
  });
});

describe('a deployment that cannot be judged', () => {
  it('says so without standalone browsers', async () => {
    const { report } = await judgeBrowsers({ browsers: null });
    expect(failingIds(report)).toEqual([]);
    expect(findReason(report, 'V4-BROWSER-01')).toContain('v4.browsers');
    expect(findReason(report, 'V4-BROWSER-21')).toContain('v4.browsers');
  });

  it('says so of the time without a control address', async () => {
    const { report } = await judgeBrowsers({ change: { control: null } });
    expect(findReason(report, 'V4-BROWSER-04')).toContain('control address');
  });
});

describe('simulated browsers', () => {
  it('are found when they end with the client that opened a page', async () => {
    const { report } = await judgeBrowsers({
      faults: ['browser ends when a client leaves its page'],
      browsers: { drivable: false },
    });
    expect(failingIds(report)).toEqual(['V4-BROWSER-25']);
  });
});

describe('a deployment without a control address', () => {
  it('passes with a cost that appears some time after the stop', async () => {
    const habits = ['cost of a stopped browser appears late'] as const;
    const { report } = await judgeBrowsers({ habits, change: { control: null } });
    expect(failingIds(report)).toEqual([]);
  });

  it.each<[Fault, string]>([
    ['second stop takes the refund back', 'V4-BROWSER-07'],
    ['refund is that of the newest browser', 'V4-BROWSER-07'],
    ['stopped browser is billed by the second', 'V4-BROWSER-06'],
  ])('is found with this fault of its bills: %s', async (fault, id) => {
    const { report } = await judgeBrowsers({ faults: [fault], change: { control: null } });
    expect(failingIds(report)).toEqual([id]);
  });

  it('is found with a stop that does nothing', async () => {
    const change = { control: null, tasks: defaultTarget.tasks };
    const { report } = await judgeBrowsers({ faults: ['browser stop does nothing'], change });
    expect(listVerdicts(report, ['V4-BROWSER-18', 'V4-BROWSER-19'])).toEqual(['violation', 'violation']);
    // The report names every browser that did not end.
    expect(report.left.length).toBeGreaterThan(0);
  });

  it('is found with refunds of whole hours only', async () => {
    const change = { control: null, tasks: defaultTarget.tasks };
    const { report } = await judgeBrowsers({ faults: ['only whole hours of a browser are refunded'], change });
    expect(failingIds(report)).toEqual(['V4-BROWSER-07']);
  });
});

describe('what a run spends', () => {
  it('is the sum of what the records of its browsers show', async () => {
    const { report } = await judgeBrowsers({});
    const each = report.created.filter(({ kind }) => kind === 'browser');
    expect(each.map(({ costUsd }) => costUsd)).toContain('0.000833');
    const sum = each.reduce((total, { costUsd }) => total + Number(costUsd), 0);
    expect(Number(report.spentUsd)).toBeCloseTo(sum, 6);
  });
});

describe('cleaning up', () => {
  it('does not believe a stop that does nothing', async () => {
    const { report, alive } = await judgeBrowsers({ faults: ['browser stop does nothing'] });
    expect(report.left).toHaveLength(alive);
    expect(report.left.every(({ kind }) => kind === 'browser')).toBe(true);
  });

  it('ends the browsers that a report names', async () => {
    const service = await startFakeService();
    const created = await fetch(`${service.url}/api/v4/browsers`, {
      method: 'POST',
      headers: { 'x-service-api-key': fakeKey, 'content-type': 'application/json' },
      body: '{}',
    });
    const { id } = (await created.json()) as { id: string };
    const entry: LedgerEntry = { kind: 'browser', generation: 'v4', id, createdBy: 'createBrowser', state: 'live' };
    expect(service.alive()).toBe(1);
    const after = await clean({ target: fakeTarget(service.url), apiKey: fakeKey, entries: [entry] });
    expect([after.entries[0]?.state, service.alive()]).toEqual(['ended', 0]);
    await service.close();
  });

  it('ends a browser after an interruption, whatever was being driven', async () => {
    const service = await startFakeService();
    const controller = new AbortController();
    const report = await run({
      target: fakeTarget(service.url),
      apiKey: fakeKey,
      spend: 'browser',
      only: ['V4-BROWSER-01'],
      ratePerSecond: 0,
      connectors: fakeConnectors,
      signal: controller.signal,
      onLedger: (entries) => {
        if (entries.some(({ state }) => state === 'live')) controller.abort();
      },
    });
    expect([report.ended, report.left, service.alive()]).toEqual(['interrupted', [], 0]);
    await service.close();
  });
});

describe('the country of runs with browserSettings', () => {
  const checkers = { ...defaultTarget.checkers, country: 'https://whoami.example/json' };
  const on: Target = { ...unservedTarget, checkers };
  const read = (...codes: string[]): CountryRun => ({ created: createAnswer(201), codes });

  it.each<[string, Partial<CountryRuns>, readonly [bare: string | undefined, verdict: string]]>([
    ['is that of the proxy with us and without settings', { plain: read('us'), us: read('us') }, [undefined, 'pass']],
    ['may be any country of the default', { plain: read('fr'), us: read('fr') }, [undefined, 'pass']],
    [
      'is not judged with null at a service in the country of the proxy',
      { plain: read('us'), us: read('us') },
      ['us', 'pass'],
    ],
    [
      'may be another one than that of browsers with null',
      { plain: read('us'), us: read('us'), none: read('ie') },
      ['de', 'pass'],
    ],
    [
      'is not judged with null if the result names two',
      { plain: read('us'), us: read('us'), none: read('us', 'de') },
      ['de', 'pass'],
    ],
    ['is not judged if a result names none', { plain: read('us'), us: read() }, ['de', 'notTestable']],
    ['is not judged if a result names two', { plain: read('us', 'id'), us: read('us') }, ['de', 'notTestable']],
    ['is not judged without a run', { us: read('us') }, ['de', 'notTestable']],
    ['must be the same with us', { plain: read('us'), us: read('fr') }, [undefined, 'violation']],
    [
      'must not be that of the proxy with null',
      { plain: read('us'), us: read('us'), none: read('us') },
      ['de', 'violation'],
    ],
  ])('%s', async (_, runs, [bare, verdict]) => {
    // The recording is that of the runs and that of the browsers.
    const recorded = { ...runs, none: { ...(runs.none ?? read()), country: bare } };
    expect(await judgeRequirement('VER-16', { on, recorded })).toMatchObject({ verdict });
  });
});
