import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../core/exchange.ts';
import type { Report } from '../../core/report.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import { type RunOptions, run } from '../../index.ts';
import { type Dialect, inDialect } from '../../testing/dialect-proxy.ts';
import { fakeKey, startFakeService } from '../../testing/fake-service.ts';
import { fakeTarget } from '../../testing/fake-target.ts';
import type { Fault } from '../../testing/faults.ts';
import type { Actor } from './actor.ts';
import { playCampaign } from './campaign.ts';
import type { Act, Moment } from './moment.ts';

const base = { only: ['laws-stateful'], profile: 'full', spend: 'task', ratePerSecond: 0, maxDispatches: 60 } as const;

/**
 * Deadlines for tests, in milliseconds. They are short because the fake service advances with each poll, not with time.
 */
const briefPolling = { intervalMs: 1, startDeadlineMs: 1000, taskDeadlineMs: 1500, settleDeadlineMs: 20 };

interface Judged {
  report: Report;
  /** Method and path of every request, with ids replaced in the order of their appearance. */
  sent: string[];
  alive: number;
}

async function judged(
  faults: readonly Fault[],
  options: Partial<RunOptions> = {},
  dialect: Dialect = {},
): Promise<Judged> {
  const fake = await startFakeService(faults);
  const names = new Map<string, number>();
  const sent: string[] = [];
  const named = (text: string): string =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
      names.set(id, names.get(id) ?? names.size);
      return `#${names.get(id)}`;
    });
  const transport = inDialect(fake.transport, {
    ...dialect,
    answer: (answer) => {
      sent.push(`${answer.method} ${named(answer.path)} ${answer.status}`);
      return dialect.answer?.(answer) ?? {};
    },
  });
  try {
    const report = await run({
      ...base,
      target: fakeTarget(fake.url, faults.length === 0 ? {} : { polling: briefPolling }),
      transport,
      apiKey: fakeKey,
      seed: 1,
      ...options,
    });
    return { report, sent, alive: fake.alive() };
  } finally {
    await fake.close();
  }
}

function listVerdicts({ requirements }: Report): string[] {
  return requirements.map(({ id, verdict }) => `${id} ${verdict}`);
}

describe('scripts that are drawn', () => {
  it.each([1, 2, 3])(
    'find no fault with a service that keeps its life cycles, and leave nothing, seed %d',
    async (seed) => {
      const { report, alive } = await judged([], { seed });
      expect(report.requirements.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(report.left).toEqual([]);
      expect(alive).toBe(0);
    },
  );

  it.each<[Fault, string]>([
    ['end state is left', 'STATE-SESSIONS'],
    ['stop leaves idle', 'STATE-SESSIONS'],
    ['keepAlive ignored', 'STATE-SESSIONS'],
    ['run goes on', 'STATE-RUNS'],
    ['cancel ignored', 'STATE-RUNS'],
    ['V2 stop ignored', 'STATE-TASKS'],
    ['browser stop does nothing', 'STATE-BROWSERS'],
    ['stopped browser reads as active', 'STATE-BROWSERS'],
  ])('find: %s', async (fault, id) => {
    const options = { only: [id], maxDispatches: 12 };
    for (const seed of [1, 2])
      expect(listVerdicts((await judged([fault], { ...options, seed })).report)).toEqual([`${id} violation`]);
  });

  it('send the same requests for the same seed, and others for another', async () => {
    const only = ['STATE-SESSIONS'];
    const [one, same, other] = [
      await judged([], { only }),
      await judged([], { only }),
      await judged([], { only, seed: 2 }),
    ];
    expect(same.sent).toEqual(one.sent);
    expect(other.sent).not.toEqual(one.sent);
  });

  it('are told in shell lines with the shortest script, and are played again from their token', async () => {
    const { report } = await judged(['end state is left'], { only: ['STATE-SESSIONS'] });
    const [failure] = report.requirements[0]?.failures ?? [];
    expect(failure?.counterexample).toBe('once');
    expect(failure?.message).toContain('the session is idle after it was stopped');
    expect(failure?.script?.[0]).toMatch(/^curl -i -X POST .*# answered 200, its id is \$ID1$/);
    expect(failure?.script?.at(-1)).toMatch(/^curl -i '.*\/sessions\/'"\$ID1"'' .*answered 200$/);
    const replay = String(failure?.replay);
    const { report: replayed } = await judged(['end state is left'], { replay });
    expect(replayed.requirements[0]?.failures[0]?.counterexample).toBe('once');
    expect(replayed.created).toHaveLength(1);
  });

  it('dispatch no more than they may, and say what was left out', async () => {
    const { report } = await judged([], { only: ['STATE-SESSIONS'], maxDispatches: 2 });
    expect(report.created.length).toBeLessThanOrEqual(2);
    expect(report.requirements[0]).toMatchObject({ verdict: 'pass' });
    expect(report.requirements[0]?.reason).toContain('--max-dispatches');
  });

  it('stop looking for a shorter script when the tasks are spent, and say so', async () => {
    const { report } = await judged(['end state is left'], { only: ['STATE-SESSIONS'], maxDispatches: 3 });
    expect(report.requirements[0]?.failures[0]?.counterexample).toContain('there may be a shorter one');
  });

  it('are left out with 0 runs', async () => {
    const { report, sent } = await judged([], { only: ['STATE-SESSIONS', 'STATE-RUNS'], statefulRuns: 0 });
    expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['notRun', 'notRun']);
    expect(report.requirements[0]?.reason).toContain('--stateful-runs');
    expect(sent.filter((line) => /^POST .* 2\d\d$/.test(line))).toEqual([]);
  });

  it('are not testable with a service that never shows a state', async () => {
    const dialect: Dialect = {
      answer: ({ method }) => (method === 'GET' ? { status: 503, body: { detail: 'Away' } } : {}),
    };
    const ids = ['STATE-SESSIONS', 'STATE-TASKS', 'STATE-RUNS', 'STATE-BROWSERS', 'STATE-BROWSERS-BEYOND'];
    const { report } = await judged([], { only: ids, maxDispatches: 20 }, dialect);
    expect(listVerdicts(report)).toEqual(ids.map((id) => `${id} notTestable`));
  });

  it('judge the contract alone with the profile documented', async () => {
    const options = { profile: 'documented', maxDispatches: 20 } as const;
    const { report, sent } = await judged([], options);
    expect(listVerdicts(report).filter((verdict) => verdict.endsWith('pass'))).toEqual([
      'STATE-SESSIONS pass',
      'STATE-BROWSERS pass',
    ]);
    expect(sent.filter((line) => /^POST .*(runs|tasks) 2\d\d$/.test(line))).toEqual([]);
  });
});

const stops = /(stop|cancel)$/;

/** Creates a dialect in which the second stop of a resource is answered with `status`. */
function secondStop(status: number): Dialect {
  const stopped = new Set<string>();
  return {
    answer: ({ method, path, status: given }) => {
      const isStop = (stops.test(path) || method === 'PATCH') && given < 300;
      if (!isStop) return {};
      const again = stopped.has(path);
      stopped.add(path);
      return again ? { status, body: { detail: 'It has ended' } } : {};
    },
  };
}

describe('scripts that are drawn find no fault with a service', () => {
  it.each<[string, Dialect]>([
    ['that refuses a second stop with 409', secondStop(409)],
    ['that refuses a second stop with 404', secondStop(404)],
    ['that answers what is gone with 410', { answer: ({ status }) => (status === 404 ? { status: 410 } : {}) }],
    [
      'that answers creations with 201',
      { answer: ({ method, status }) => (method === 'POST' && status < 300 ? { status: 201 } : {}) },
    ],
    [
      'that answers a stop with nothing',
      { answer: ({ path, status }) => (stops.test(path) && status < 300 ? { status: 204, body: undefined } : {}) },
    ],
    [
      'whose lists are empty',
      {
        answer: ({ method, path }) =>
          method === 'GET' && /\/(sessions|tasks|runs|browsers)$/.test(path)
            ? { body: { sessions: [], items: [], runs: [] } }
            : {},
      },
    ],
  ])('%s', async (_name, dialect) => {
    for (const seed of [1, 2]) {
      const { report } = await judged([], { seed }, dialect);
      expect(report.requirements.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(report.left).toEqual([]);
    }
  });
});

/** Plays ten scripts with a stop that never has an effect. Returns the number of played scripts and the passed time. */
async function playWithoutEnds(settleDeadlineMs: number): Promise<{ played: number; passedMs: number }> {
  let clockMs = 0;
  const moment = (word: string, act: Act): Moment => ({
    word,
    act,
    exchange: {
      atMs: clockMs,
      durationMs: 0,
      status: 200,
      request: { method: 'GET', url: '', headers: {} },
    } as Exchange,
  });
  const actor: Actor = {
    begin: (word) => Promise.resolve(moment(word, 'create')),
    act: (_action, word) => Promise.resolve([moment(word, 'stop')]),
    look: (word) => Promise.resolve([moment(word, 'look')]),
    isOver: () => false,
    leave: () => Promise.resolve(),
  };
  const context: Partial<ScenarioContext> = {
    seed: 1,
    target: fakeTarget('http://127.0.0.1:1', { polling: { ...briefPolling, intervalMs: 1000, settleDeadlineMs } }),
    live: (work) => work(),
    pause: (ms) => {
      clockMs += ms;
      return Promise.resolve();
    },
  };
  const { themes } = await playCampaign(context as ScenarioContext, {
    machine: {
      themes: { ends: fc.constant(['create']) },
      dispatching: new Set(),
      actor: () => actor,
      explain: () => undefined,
    },
    rules: { beyond: true, isControlled: false },
    scripts: 10,
    dispatches: 10,
  });
  return { played: themes[0]?.played ?? 0, passedMs: clockMs };
}

it('plays no further script after it has waited a minute for ends that do not come', async () => {
  expect((await playWithoutEnds(1000)).played).toBe(10);
  const { played, passedMs } = await playWithoutEnds(20_000);
  expect(played).toBe(3);
  expect(passedMs).toBeLessThan(90_000);
});
