import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../core/ledger.ts';
import { SuiteError } from '../core/suite-error.ts';
import { clean } from './clean.ts';
import { settle } from './options.ts';
import type { Report } from '../core/report.ts';
import type { Fault } from '../testing/faults.ts';
import { createRunEnvironment, type RunEnvironment } from '../transport/run-environment.ts';
import { planOf, run } from './run.ts';
import type { RunOptions } from './settings.ts';
import type { Transport } from '../core/transport.ts';
import { fakeKey, otherFakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { failingIds, judgeFake } from '../testing/judge-fake.ts';

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

  it.each([
    ['one V4 acceptance refused', 'V4-PARAMS-ACCEPTS', '/api/v4/runs'],
    ['one acceptance refused', 'V3-THINK-ACCEPTS', '/api/v3/sessions'],
  ] as const)('sends one acceptance cell alone: %s', async (fault, only, path) => {
    const found = { only: [only], matrix: 'full', maxDispatches: 400 } as const;
    const report = await judgeFake({ faults: [fault], options: found });
    const token = report.requirements[0]?.failures[0]?.replay ?? '';
    let creations = 0;
    const again = await judgeFake({
      faults: [fault],
      options: { replay: token },
      onRequest: (request) => {
        creations +=
          request.method === 'POST' && request.path === path && request.text.includes('svc-test: succeed') ? 1 : 0;
      },
    });
    expect([failingIds(again), creations]).toEqual([[only], 1]);
  });

  it('refuses a word that is no token', async () => {
    await expect(judgeFake({ options: { replay: 'nonsense' } })).rejects.toThrow(SuiteError);
  });
});

describe('a patient run', () => {
  const only = ['LIFE-07', 'LIFE-18', 'LIMIT-01', 'LIMIT-02'];

  /**
   * Judges a fake service without a control URL in a run with `--patient`. A wait of more than a second takes no time;
   * the clock of the fake service is advanced instead.
   */
  async function judgePatiently(
    faults: readonly Fault[],
    isPatient = true,
  ): Promise<{ report: Report; waits: number[] }> {
    const fake = await startFakeService(faults);
    const environment = createRunEnvironment();
    const waits: number[] = [];
    const wait: RunEnvironment['wait'] = async (ms, signal) => {
      if (ms < 1000) return environment.wait(ms, signal);
      waits.push(ms);
      const body = JSON.stringify({ advanceMs: ms });
      await fetch(`${fake.url}/control/clock`, { method: 'POST', body });
    };
    const target = fakeTarget(fake.url, { control: null });
    try {
      const how = { only, spend: 'task', seed: 1, ratePerSecond: 0, patient: isPatient } as const;
      const report = await run({ target, apiKey: fakeKey, environment: { ...environment, wait }, ...how });
      return { report, waits };
    } finally {
      await fake.close();
    }
  }

  it('waits until an address ends and an idle session has timed out', async () => {
    const { report, waits } = await judgePatiently([]);
    expect(report.requirements.map(({ id, verdict }) => [id, verdict])).toEqual(only.map((id) => [id, 'pass']));
    expect(waits).toEqual([285_000, 30_000, 915_000]);
  });

  it.each([
    ['screenshot dies early', ['LIMIT-01']],
    ['screenshot never expires', ['LIMIT-02']],
  ] as const)('finds that a %s', async (fault, ids) => {
    expect(failingIds((await judgePatiently([fault])).report)).toEqual(ids);
  });

  it('is named by the rows that wait, where no control address moves the clock', async () => {
    const { report, waits } = await judgePatiently([], false);
    const [row] = report.requirements;
    expect(row).toMatchObject({
      verdict: 'notRun',
      reason: expect.stringContaining('needs --patient (a wait of 21 minutes)'),
    });
    expect(waits).toEqual([]);
  });
});

describe('a run', () => {
  it('ends at the limit of failures, and counts none that is known', async () => {
    const faults = ['detail is text', 'loc is text'] as const;
    const limited = { only: ['ERR-01', 'ERR-02', 'ERR-09'], maxFailures: 1 };
    expect((await judgeFake({ faults, options: limited })).ended).toBe('maxFailures');
    const failing = failingIds(await judgeFake({ faults, options: { only: limited.only } }));
    expect(failing).toContain('ERR-01');
    expect((await judgeFake({ faults, options: { ...limited, known: failing } })).ended).toBe('complete');
  });

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

  it('never keeps the key of the other project', async () => {
    const report = await judgeFake({
      faults: ['other project lists runs', 'other project reads runs'],
      options: { only: ['tenancy'] },
    });
    expect(failingIds(report)).toEqual(['TENANCY-10', 'TENANCY-13']);
    expect(JSON.stringify(report)).not.toContain(otherFakeKey);
    expect(report.requirements.flatMap(({ failures }) => failures.map(({ curl }) => curl)).join()).toContain(
      '$SVC_OTHER_API_KEY',
    );
  });

  it('judges what goes beyond the contract only when it is asked for, and counts it apart', async () => {
    const only = ['V4-RUN-30', 'TENANCY-10', 'V4-RUN-02'];
    const verdicts = async (change: Partial<RunOptions>): Promise<unknown> => {
      const service = await startFakeService();
      const report = await run({ ...options(fakeTarget(service.url)), only, spend: 'task', ...change });
      await service.close();
      const rows = report.requirements.map(({ id, verdict, reason }) => [id, reason ?? verdict]);
      return { rows: Object.fromEntries(rows), passed: [report.totals.passed, report.beyond.passed] };
    };
    expect(await verdicts({})).toEqual({
      rows: {
        'TENANCY-10': 'needs --profile full; not testable in this run',
        'V4-RUN-30': 'needs --profile full',
        'V4-RUN-02': 'pass',
      },
      passed: [1, 0],
    });
    expect(await verdicts({ profile: 'full' })).toEqual({
      rows: { 'TENANCY-10': '--other-api-key is not given', 'V4-RUN-30': 'pass', 'V4-RUN-02': 'pass' },
      passed: [1, 1],
    });
    expect(await verdicts({ otherApiKey: otherFakeKey })).toEqual({
      rows: { 'TENANCY-10': 'pass', 'V4-RUN-30': 'needs --profile full', 'V4-RUN-02': 'pass' },
      passed: [1, 1],
    });
  });

  it('refuses one key for two projects', async () => {
    await expect(run({ ...options(fakeTarget('http://127.0.0.1:1')), otherApiKey: fakeKey })).rejects.toThrow(
      SuiteError,
    );
  });

  it('dispatches no more than the limit and says what was left out', async () => {
    const report = await judgeFake({ options: { maxDispatches: 2, statefulRuns: 1 } });
    const left = report.requirements.filter(({ verdict }) => verdict === 'notRun');
    expect(left.every(({ reason }) => /limit of 2 dispatched tasks|--max-dispatches/.test(reason ?? ''))).toBe(true);
    expect(left.length).toBeGreaterThan(10);
    expect(failingIds(report)).toEqual([]);
  });

  it('shows how many acceptance cells were tried: with tasks, and each level of each family without one', async () => {
    const report = await judgeFake({ options: { only: ['V3-THINK-ACCEPTS'], maxDispatches: 6 } });
    const { cells, verdict } = report.requirements[0] ?? {};
    expect(verdict).toBe('pass');
    expect(cells).toMatchObject({ total: 77, failed: 0 });
    expect(cells?.judged).toBeGreaterThan(15);
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

  it('reports what it could not do when the time is over before the first answer', async () => {
    const service = await startFakeService();
    const report = await run({ ...options(fakeTarget(service.url)), timeLimitMs: 1 });
    await service.close();
    const verdicts = new Set(report.requirements.map(({ verdict }) => verdict));
    expect(report.ended).toBe('timeLimit');
    expect([...verdicts].every((verdict) => ['notRun', 'notTestable'].includes(verdict))).toBe(true);
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

  it.each([
    ['cancel ignored', 'run', ['V4-PARAMS-ACCEPTS']],
    ['V2 stop ignored', 'task', ['V2-THINK-ACCEPTS']],
    ['stop leaves idle', 'session', ['V3-SESSION-14']],
  ] as const)('does not believe a stop that nothing shows: %s', async (fault, kind, only) => {
    const base = fakeTarget('').v3;
    const service = await startFakeService([fault]);
    const target = fakeTarget(service.url, { v3: base === null ? null : { ...base, delete: null } });
    const tasks = { ...target.tasks, succeed: 'svc-test: slow 5' };
    const report = await run({ ...options({ ...target, tasks }), only, spend: 'task', maxDispatches: 20 });
    expect(report.left.map((entry) => entry.kind)).toContain(kind);
    // After three remaining resources, the suite sends no further cell. Only the cells in flight at that time can add
    // resources.
    expect(report.left.length).toBeLessThanOrEqual(3 + target.limits.sessionsAtOnce);
    expect(service.alive()).toBe(report.left.length);
    await service.close();
  });

  it('sends an acceptance cell again when the target is busy for a moment', async () => {
    const only = ['V4-PARAMS-ACCEPTS', 'V4-MODELS-ACCEPTED'];
    const report = await judgeFake({
      faults: ['busy at times'],
      options: { only, matrix: 'full', maxDispatches: 200 },
    });
    expect(report.requirements.map(({ verdict, cells }) => [verdict, cells.total - cells.judged])).toEqual([
      ['pass', 0],
      ['pass', 0],
    ]);
  });

  it('ends when a target charges more than its ceilings allow', async () => {
    const report = await judgeFake({ override: { totalCostUsd: '7.5' }, options: { maxCostUsd: 4 } });
    expect(report.ended).toBe('costLimit');
    expect(Number(report.spentUsd)).toBeGreaterThan(4);
  });

  it('ends without a violation when the answers of a target fill the memory of a run', async () => {
    const report = await judgeFake({ override: { integrationsUsed: Array(100_000).fill('x') } });
    expect([report.ended, report.totals.violations, report.left]).toEqual(['answerLimit', 0, []]);
    expect(report.totals.notRun).toBeGreaterThan(0);
  });

  it('ends when the target serves no request any more', async () => {
    const service = await startFakeService();
    let sent = 0;
    const transport: Transport = async (request) => {
      sent += 1;
      if (sent <= 300) return service.transport(request);
      return { status: 0, headers: {}, body: '', fault: `nothing within ${request.timeoutMs} ms` };
    };
    const report = await run({ ...options(fakeTarget(service.url)), transport });
    await service.close();
    expect(report.ended).toBe('unreachable');
    // The run was ended after 340 requests; its clean-up sends the rest.
    expect(sent).toBeLessThan(500);
    expect(report.requirements.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/40 requests in a row/),
    );
  });

  it('ends without a violation when the target goes away, and counts nothing that it did not receive', async () => {
    const service = await startFakeService();
    let sent = 0;
    const transport: Transport = async (request) => {
      sent += 1;
      if (sent <= 300) return service.transport(request);
      return { status: 0, headers: {}, body: '', fault: 'connect ECONNREFUSED 127.0.0.1:1' };
    };
    const report = await run({ ...options(fakeTarget(service.url)), transport });
    await service.close();
    expect([report.ended, failingIds(report)]).toEqual(['unreachable', []]);
    expect(report.requirements.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('ECONNREFUSED'));
    expect(report.left.map(({ id }) => id)).not.toContain(undefined);
  });

  it('does not end when the target is away for a moment', async () => {
    const service = await startFakeService();
    let sent = 0;
    const transport: Transport = async (request) => {
      sent += 1;
      if (sent < 300 || sent > 304) return service.transport(request);
      return { status: 0, headers: {}, body: '', fault: 'connect ECONNREFUSED 127.0.0.1:1' };
    };
    const report = await run({ ...options(fakeTarget(service.url)), transport });
    await service.close();
    expect([report.ended, failingIds(report), report.left]).toEqual(['complete', [], []]);
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

/** Starts a server of another application; returns its URL and a function that closes it. */
async function serve(
  answer: (url: string) => { status: number; type: string; body: string; location?: string },
): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { status, type, body, location } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    close: () => void server.close(),
  };
}

it('does not take a target that only answers 429 for one without fault', async () => {
  const server = await serve(() => ({ status: 429, type: 'application/json', body: '{"detail":"busy"}' }));
  const judged = run(options(fakeTarget(server.url)));
  await expect(judged).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('429') });
  server.close();
});

it('reports a refused key although the target is busy at first', async () => {
  let asked = 0;
  const server = await serve(() => {
    asked += 1;
    return { status: asked <= 3 ? 429 : 401, type: 'application/json', body: '{"detail":"no"}' };
  });
  const judged = run({ ...options(fakeTarget(server.url)), only: ['V3-GET-02'] });
  await expect(judged).rejects.toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('401') });
  server.close();
});

it.each([404, 200, 502])('does not judge what is no service: pages with %i', async (status) => {
  const server = await serve(() => ({ status, type: 'text/html', body: '<p>Welcome' }));
  const judged = run(options(fakeTarget(server.url)));
  await expect(judged).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(new RegExp(`answered ${status} \\(text/html\\).*check the address`)),
  });
  server.close();
});

it('says where a redirect leads', async () => {
  const server = await serve(() => ({ status: 302, type: 'text/html', body: '', location: '/sign-in' }));
  await expect(run(options(fakeTarget(server.url)))).rejects.toThrow('answered 302 (text/html, to /sign-in)');
  server.close();
});

it('judges a service that refuses in pages and shows its lists', async () => {
  const server = await serve((url) =>
    /\/sessions(\?|$)/.test(url)
      ? { status: 200, type: 'application/json', body: '{"sessions":[]}' }
      : { status: 404, type: 'text/html', body: '<p>Not found' },
  );
  const report = await run({ ...options(fakeTarget(server.url)), only: ['V3-GET-02'] });
  expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['violation']);
  server.close();
});

describe('a plan', () => {
  it('says what would be dispatched without sending anything', () => {
    const plan = planOf({ ...options(fakeTarget('http://127.0.0.1:1')), spend: 'task' });
    expect(plan.dispatches).toBe(25);
    expect(plan.scenarios.map(({ name }) => name)).toContain('kept-session');
  });
});

describe('the rate of requests', () => {
  it.each([
    ['http://127.0.0.1:8080', 0],
    ['http://localhost:8080', 0],
    ['http://[::1]:8080', 0],
    ['https://api.example.com', 20],
    ['http://127.0.0.1.example.com', 20],
  ])('of a run against %s is %i a second unless another is asked for, 0 without a limit', (url, ratePerSecond) => {
    const given = { target: fakeTarget(url), apiKey: fakeKey };
    expect(settle(given).ratePerSecond).toBe(ratePerSecond);
    expect(settle({ ...given, ratePerSecond: 5 }).ratePerSecond).toBe(5);
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
    expect([after.entries[0]?.state, service.alive()]).toEqual(['ended', 0]);
    await service.close();
  });
});

function options(target: RunOptions['target']): RunOptions {
  return { target, apiKey: fakeKey, ratePerSecond: 0, seed: 1, propertyRuns: 4 };
}
