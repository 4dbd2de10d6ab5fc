import { describe, expect, it } from 'vitest';
import { type JsonObject, type JsonValue, isJsonObject } from '../core/json.ts';
import type { Target, TargetV2, TargetV4 } from '../core/target.ts';
import type { Report } from '../core/report.ts';
import { run } from '../runner/run.ts';
import { type Dialect, inDialect } from '../testing/dialect-proxy.ts';
import { fakeKey, otherFakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import type { Fault } from '../testing/faults.ts';
import { failingIds } from '../testing/judge-fake.ts';

const areas = ['v2-tasks', 'v4-runs', 'v4-model-params', 'events', 'SVC-01', 'VER-08'];
const tenancy = Array.from({ length: 14 }, (_, index) => `TENANCY-${String(index + 1).padStart(2, '0')}`);

interface Spoken {
  dialect: Dialect;
  v2?: Partial<TargetV2>;
  v4?: Partial<TargetV4>;
  faults?: readonly Fault[];
  change?: Partial<Target>;
}

async function judged({ dialect, v2 = {}, v4 = {}, faults = [], change = {} }: Spoken): Promise<Report> {
  const fake = await startFakeService(faults);
  const transport = inDialect(fake.transport, dialect);
  const base = fakeTarget(fake.url, change);
  const target = {
    ...base,
    v2: base.v2 === null ? null : { ...base.v2, ...v2 },
    v4: base.v4 === null ? null : { ...base.v4, ...v4 },
  };
  const options = {
    spend: 'task',
    profile: 'full',
    maxDispatches: 40,
    ratePerSecond: 0,
    propertyRuns: 2,
    seed: 1,
  } as const;
  try {
    return await run({
      target,
      transport,
      apiKey: fakeKey,
      otherApiKey: otherFakeKey,
      only: [...areas, ...tenancy],
      ...options,
    });
  } finally {
    await fake.close();
  }
}

function isJob(path: string): boolean {
  return /^\/api\/v[24]\/(tasks|runs)/.test(path);
}

const words: Record<string, string> = {
  created: 'WAIT',
  queued: 'WAIT',
  started: 'GO',
  running: 'GO',
  finished: 'OK',
  completed: 'OK',
};

/** Returns a copy of an answer in which members have other names or are nested in other members. */
function renamed(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  const { status, result, output, events, nextAfter, items, runs, ...rest } = value;
  const list = items ?? runs;
  if (Array.isArray(list)) return { data: { rows: list } };
  if (Array.isArray(events))
    return { log: { entries: events.map((event) => toKeyedEvent(event)) }, position: nextAfter ?? null };
  if (typeof status !== 'string') return value;
  return { ...rest, state: { word: words[status] ?? 'HALT' }, outcome: { text: result ?? output ?? null } };
}

function toKeyedEvent(event: JsonValue): JsonValue {
  const { id = null, ...rest } = isJsonObject(event) ? event : {};
  return { key: `event-${JSON.stringify(id)}`, ...rest };
}

const states = { pending: ['WAIT', 'GO'], completed: ['OK'], ended: ['HALT'] };
const list = { method: 'GET', items: 'data.rows' };
const events = {
  method: 'GET',
  path: '/runs/{run_id}/events',
  items: 'events',
  cursor: 'after',
  nextCursor: 'nextAfter',
  id: 'id',
};

const renamedService: Spoken = {
  dialect: { answer: ({ path, status, body }) => (isJob(path) && status < 300 ? { body: renamed(body) } : {}) },
  v2: { statusIn: 'state.word', states, output: 'outcome.text', cost: null, list: { ...list, path: '/tasks' } },
  v4: {
    statusIn: 'state.word',
    states,
    result: 'outcome.text',
    listRuns: { ...list, path: '/runs' },
    events: { ...events, items: 'log.entries', nextCursor: 'position', id: 'key' },
  },
};

const nestedId: Spoken = {
  dialect: {
    answer: ({ method, path, body }) =>
      method === 'POST' && path === '/api/v2/tasks' && isJsonObject(body) && 'id' in body
        ? { body: { task: body } }
        : {},
  },
  v2: { idIn: 'task.id' },
};

function created(status: number): Spoken {
  return {
    dialect: {
      answer: (answer) => (isJob(answer.path) && answer.method === 'POST' && answer.status < 300 ? { status } : {}),
    },
  };
}

/** Reverses the events of an answer, so that the newest event comes first, and omits the cursor. */
function newestFirst({ path, body }: { path: string; body: JsonValue | undefined }): { body?: JsonValue } {
  if (!/\/events(\?|$)/.test(path) || !isJsonObject(body) || !Array.isArray(body['events'])) return {};
  return { body: { events: body['events'].toReversed() } };
}

describe('a legal service', () => {
  it.each<[string, Spoken]>([
    ['renames members, words and lists', renamedService],
    ['carries the id of a task in a nested member', nestedId],
    ['answers creations with 201', created(201)],
    ['answers creations and cancellations with 202', created(202)],
    ['shows the status in the record only', { dialect: {}, v2: { taskStatus: null }, v4: { runStatus: null } }],
    [
      'refuses foreign things with 403',
      { dialect: { answer: ({ status }) => (status === 404 ? { status: 403 } : {}) } },
    ],
    [
      'shows the newest event first',
      { dialect: { answer: newestFirst }, v4: { events: { ...events, cursor: null } }, faults: ['one page of events'] },
    ],
    ['ends a page of events without a cursor', { dialect: { answer: lastPageWithoutCursor } }],
    ['takes the id of the last event as cursor', { dialect: {}, v4: { events: { ...events, nextCursor: null } } }],
    ['answers a stop with 409 once it has ended', { dialect: stopTwice() }],
  ])('that %s is found without fault', async (_name, spoken) => {
    const report = await judged(spoken);
    expect(failingIds(report)).toEqual([]);
    expect(report.left).toEqual([]);
    expect(report.totals.passed).toBeGreaterThan(20);
  });

  it.each<[string, Spoken, Record<string, string>]>([
    [
      'events',
      { dialect: {}, v4: { events: null } },
      { 'EVT-01': 'v4.events', 'EVT-03': 'v4.events', 'TENANCY-11': 'events' },
    ],
    ['cancelRun', { dialect: {}, v4: { cancelRun: null } }, { 'V4-RUN-30': 'v4.cancelRun', 'TENANCY-12': 'run' }],
    ['getRun', { dialect: {}, v4: { getRun: null } }, { 'V4-RUN-26': 'v4.getRun', 'V4-RUN-28': 'v4.getRun' }],
    [
      'any look at a run',
      { dialect: {}, v4: { getRun: null, runStatus: null } },
      { 'V4-RUN-27': 'v4.getRun', 'TENANCY-10': 'v4.getRun' },
    ],
    ['any look at a task', { dialect: {}, v2: { getTask: null, taskStatus: null } }, { 'V2-TASK-08': 'v2.getTask' }],
    ['stopTask', { dialect: {}, v2: { stopTask: null } }, { 'V2-TASK-08': 'v2.stopTask' }],
    [
      'the lists',
      { dialect: {}, v2: { list: null }, v4: { listRuns: null } },
      { 'TENANCY-08': 'task: list', 'TENANCY-13': 'run: list' },
    ],
  ])('that does not offer %s has no fault, and what needs it is not testable', async (_name, spoken, reasons) => {
    const report = await judged(spoken);
    expect(failingIds(report)).toEqual([]);
    for (const [id, reason] of Object.entries(reasons)) {
      const row = report.requirements.find((one) => one.id === id);
      expect(row).toMatchObject({ verdict: 'notTestable' });
      expect(row?.reason).toContain(reason);
    }
  });

  it.each<[string, Dialect, Record<string, string>]>([
    [
      'the events',
      hides(/events/),
      { 'EVT-01': 'v4.events', 'EVT-03': 'v4.events', 'TENANCY-11': 'not served to the owner' },
    ],
    [
      'the lists',
      hides(/\/(tasks|runs)$/, 'GET'),
      { 'TENANCY-08': 'not served to the owner', 'TENANCY-13': 'not served to the owner' },
    ],
    ['what ends a run', hides(/cancel$/), { 'TENANCY-12': 'not served to the owner', 'V4-RUN-30': '404' }],
    ['the record and the status of a run', hides(/runs\/[0-9a-f-]{36}(\/status)?$/), { 'V4-RUN-27': '404' }],
  ])('that serves %s elsewhere has no fault, and what needs it is not testable', async (_name, dialect, reasons) => {
    const report = await judged({ dialect });
    expect(failingIds(report)).toEqual([]);
    for (const [id, reason] of Object.entries(reasons)) {
      const row = report.requirements.find((one) => one.id === id);
      expect(row).toMatchObject({ verdict: 'notTestable' });
      expect(row?.reason).toContain(reason);
    }
  });

  it('whose status words the target file does not name is not judged by them', async () => {
    const unknown = { pending: ['x'], completed: ['y'], ended: ['z'] };
    const report = await judged({ dialect: {}, v4: { states: unknown } });
    expect(failingIds(report)).toEqual([]);
    expect(report.requirements.find(({ id }) => id === 'V4-RUN-27')?.reason).toContain('v4.states');
  });

  it('that refuses the second key altogether is not taken for one that keeps projects apart', async () => {
    const report = await judged({ dialect: {}, faults: ['other key refused'] });
    const row = report.requirements.find(({ id }) => id === 'TENANCY-01');
    expect(row).toMatchObject({ verdict: 'notTestable' });
    expect(row?.reason).toContain('--other-api-key');
  });
});

describe('a service that speaks another dialect and breaks the contract', () => {
  it.each<[Fault, string[]]>([
    ['events rewritten', ['EVT-03']],
    ['event cursor is included', ['EVT-01', 'EVT-03']],
    ['no result', ['SVC-01', 'V4-RUN-26']],
    ['run goes on', ['V4-RUN-29', 'V4-RUN-30']],
    ['other project reads tasks', ['TENANCY-06']],
    ['other project lists runs', ['TENANCY-13']],
  ])('is caught: %s', async (fault, ids) => {
    expect(failingIds(await judged({ ...renamedService, faults: [fault] }))).toEqual(ids);
  });
});

/** Creates a dialect that answers 404 for a matching path; with `method`, only to requests with this method. */
function hides(path: RegExp, method?: string): Dialect {
  return {
    answer: (answer) =>
      path.test(answer.path) && (method === undefined || answer.method === method)
        ? { status: 404, body: { detail: 'Not Found' } }
        : {},
  };
}

// Replaces the cursor with null in a page of events that has no further page.
function lastPageWithoutCursor({ path, body }: { path: string; body: JsonValue | undefined }): { body?: JsonObject } {
  if (!path.includes('/events') || !isJsonObject(body) || body['hasMore'] === true) return {};
  return { body: { ...body, nextAfter: null } };
}

function stopTwice(): Dialect {
  const ended = new Set<string>();
  return {
    answer: ({ method, path, status }) => {
      if (!isJob(path) || method === 'GET' || status !== 200 || !/[0-9a-f-]{36}/.test(path)) return {};
      const again = ended.has(path);
      ended.add(path);
      return again ? { status: 409 } : {};
    },
  };
}
