import { afterEach, describe, expect, it } from 'vitest';
import type { RunOptions } from './settings.ts';
import type { Report } from '../core/report.ts';
import { run } from './run.ts';
import { type DialectAnswer, startDialect } from '../testing/dialect-proxy.ts';
import { fakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import type { Fault } from '../testing/faults.ts';
import { failingIds } from '../testing/judge-fake.ts';

interface Case {
  faults?: Fault[];
  options?: Partial<RunOptions>;
  answer?: (answer: DialectAnswer) => Partial<DialectAnswer>;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Judges the fake service behind a proxy that records method and path of each request. */
async function judge({
  faults = [],
  options = {},
  answer = () => ({}),
}: Case): Promise<{ report: Report; seen: string[] }> {
  const seen: string[] = [];
  const service = await startFakeService(faults);
  const wall = await startDialect(service.url, {
    answer: (given) => {
      seen.push(`${given.method} ${given.path}`);
      return answer(given);
    },
  });
  closing.push(
    () => wall.close(),
    () => service.close(),
  );
  const report = await run({ target: fakeTarget(wall.url), apiKey: fakeKey, ratePerSecond: 0, seed: 1, ...options });
  return { report, seen };
}

const passing = ({ requirements }: Report): string[] =>
  requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);

/** Dialect of a service that answers 404 to every request for a list of sessions, tasks or runs. */
const lostLists = ({ method, path }: DialectAnswer): Partial<DialectAnswer> =>
  method === 'GET' && /^\/api\/v\d\/(sessions|tasks|runs)$/.test(path)
    ? { status: 404, body: { detail: 'Not Found' } }
    : {};

describe('the profile smoke', () => {
  const options = { profile: 'smoke', spend: 'task' } as const;

  it('sends five requests, makes nothing, and says why it has not looked at the rest', async () => {
    const { report, seen } = await judge({ options });
    expect(seen.toSorted()).toEqual([
      'GET /api/v3/sessions',
      'GET /api/v3/sessions',
      'GET /api/v3/sessions',
      'POST /api/v2/tasks',
      'POST /api/v4/runs',
    ]);
    expect(report).toMatchObject({ created: [], left: [] });
    expect(passing(report)).toEqual(['GEN-01', 'AUTH-01', 'AUTH-02', 'AUTH-04'].toSorted());
    const rest = report.requirements.filter(({ verdict }) => verdict === 'notRun').map(({ reason }) => reason);
    expect(new Set(rest)).toEqual(new Set(['needs --profile documented', 'needs --profile full']));
  });

  it.each<[string, Case, string[]]>([
    ['a service that needs no key', { faults: ['no key needed'] }, ['AUTH-01', 'AUTH-04']],
    ['a service that takes any key', { faults: ['any key accepted'] }, ['AUTH-04']],
    ['a generation that refuses the key', { faults: ['key refused in V4'] }, ['AUTH-02']],
    ['a generation that is not there', { faults: ['V2 not served'] }, ['GEN-01']],
  ])('finds %s', async (_name, given, ids) => {
    const { report, seen } = await judge({ ...given, options });
    expect(failingIds(report).toSorted()).toEqual(ids);
    expect(seen.length).toBeLessThanOrEqual(5);
  });

  it('finds fault with no service whose lists stand elsewhere, within as many requests', async () => {
    const { report, seen } = await judge({ options, answer: lostLists });
    expect(failingIds(report)).toEqual([]);
    expect(passing(report)).toEqual(['AUTH-02', 'GEN-01'].toSorted());
    expect(seen.length).toBeLessThanOrEqual(5);
  });

  it('only reads where that is wanted, within as many requests', async () => {
    const { report, seen } = await judge({ options: { ...options, readOnly: true } });
    expect(seen.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(seen).toHaveLength(5);
    expect(failingIds(report)).toEqual([]);
  });
});

describe('a run that only reads', () => {
  const options = { readOnly: true, spend: 'task', profile: 'full', otherApiKey: 'svc_another' } as const;

  it('sends nothing but GET at every spend level, and says what it has left out', async () => {
    const { report, seen } = await judge({ options });
    expect(seen.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(failingIds(report)).toEqual([]);
    expect(passing(report)).toEqual(expect.arrayContaining(['AUTH-01', 'AUTH-02', 'AUTH-04', 'ERR-01', 'V3-GET-02']));
    const left = report.requirements.filter(({ verdict }) => verdict === 'notRun');
    expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(['needs more than reading (--read-only)']));
  });

  it.each<[Fault, string]>([
    ['no key needed', 'AUTH-01'],
    ['query key accepted', 'AUTH-03'],
    ['any key accepted', 'AUTH-04'],
    ['malformed id answers 404', 'V3-GET-02'],
    ['detail is text', 'ERR-01'],
  ])('still finds: %s', async (fault, id) => {
    expect(failingIds((await judge({ faults: [fault], options })).report)).toContain(id);
  });
});

describe('a redirect for a request without a key', () => {
  const toSignIn = ({ status }: DialectAnswer): Partial<DialectAnswer> =>
    status === 401 ? { status: 302, body: {} } : {};

  it('counts as no access: the contract shows no status, and no resource was created', async () => {
    const only = ['AUTH-01', 'AUTH-03', 'AUTH-04', 'GEN-03'];
    const { report } = await judge({ options: { only }, answer: toSignIn });
    expect(passing(report).toSorted()).toEqual(only);
    expect(report).toMatchObject({ created: [], left: [] });
  });

  it('is no excuse for one way in that stays open', async () => {
    const { report } = await judge({
      options: { only: ['AUTH-03'] },
      faults: ['query key accepted'],
      answer: toSignIn,
    });
    expect(failingIds(report)).toEqual(['AUTH-03']);
  });
});
