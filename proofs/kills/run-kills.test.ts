import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '#conformance/core/json.ts';
import { openDatabase } from '#store/open-database.ts';
import type { CallService } from '../service/call-service.ts';
import { unreferencedBlobs, sqliteReader } from './table-reader.ts';
import { createEventsFact, createGoalFact, createValueFact, createRecordFact } from './facts.ts';
import { readBooks } from './read-books.ts';
import { runKills } from './run-kills.ts';
import { startOneProcessFleet } from './one-process-fleet.ts';

it('everything that clients were told is so after two kills of the service', async () => {
  const fleet = await startOneProcessFleet({ hosts: 'simulated', database: null });
  const options = { kills: 2, seed: 20_261_122, clients: 4, browsersMax: 2, browserShare: 0 };
  const { faults, killed, facts, books } = await runKills({ fleet, ...options });
  expect(faults).toEqual([]);
  expect(killed.get('service')).toBe(2);
  expect(facts).toBeGreaterThan(2);
  expect(books.runs).toBeGreaterThan(0);
});

/**
 * Creates a client that gets these answers in order and then the last answer repeatedly. A number is a status without a
 * body; an object is a body with status 200.
 */
function answering(...bodies: (JsonObject | number)[]): CallService {
  const rest = [...bodies];
  return async () => {
    const body = (rest.length > 1 ? rest.shift() : rest[0]) ?? 404;
    return typeof body === 'number' ? { status: body, json: null } : { status: 200, json: body };
  };
}

const costs = { llmCostUsd: '0.1', proxyCostUsd: '0', browserCostUsd: '0.2', totalCostUsd: '0.3' };
const amounts = { stepCount: 2, totalInputTokens: 5, totalOutputTokens: 5 };
const running = { status: 'running', output: null, ...costs, ...amounts };
const stopped = { ...running, status: 'stopped' };

it.each<{ name: string; answers: (JsonObject | number)[]; want: string[] }>([
  { name: 'as it was', answers: [running, running], want: [] },
  {
    name: 'further on',
    answers: [running, { ...stopped, stepCount: 3, llmCostUsd: '0.2', totalCostUsd: '0.4' }],
    want: [],
  },
  { name: 'gone', answers: [running, 404], want: ['was answered 404'] },
  {
    name: 'cheaper',
    answers: [running, { ...running, llmCostUsd: '0', totalCostUsd: '0.2' }],
    want: ['llmCostUsd fell', 'totalCostUsd fell'],
  },
  { name: 'a wrong sum', answers: [running, { ...running, totalCostUsd: '0.5' }], want: ['its parts are'] },
  { name: 'alive again', answers: [stopped, running], want: ['status changed after its end'] },
  {
    name: 'dearer after its end',
    answers: [stopped, { ...stopped, llmCostUsd: '0.2', totalCostUsd: '0.4' }],
    want: ['llmCostUsd changed', 'totalCostUsd changed'],
  },
  {
    name: 'in a state that nobody knows',
    answers: [
      { ...running, status: 'lost' },
      { ...running, status: 'lost' },
    ],
    want: ['has the state lost'],
  },
])('a session that is $name: $want', async ({ answers, want }) => {
  const fact = createRecordFact('v3 session', 'a');
  const call = answering(...answers);
  await fact.check(call);
  const found = await fact.check(call);
  expect(found).toHaveLength(want.length);
  for (const [at, text] of want.entries()) expect(found[at]).toContain(text);
});

it('a stop that was acknowledged stays one', async () => {
  const fact = createRecordFact('v3 session', 'a');
  fact.acknowledgeEnd('stopped');
  expect(await fact.check(answering(running))).toEqual(['v3 session a: is running, acknowledged was stopped']);
});

it('a name is the acknowledged one, or one that was asked for since', async () => {
  const fact = createValueFact({ kind: 'profile', path: 'v4/profiles', id: 'a', value: 'one' });
  fact.ask('two');
  expect(await fact.check(answering({ name: 'one' }))).toEqual([]);
  expect(await fact.check(answering({ name: 'two' }))).toEqual([]);
  fact.answer('two', true);
  expect(await fact.check(answering({ name: 'one' }))).toHaveLength(1);
  fact.ask('three');
  fact.ask('four');
  fact.answer('four', true);
  expect(await fact.check(answering({ name: 'three' }))).toEqual([]);
  fact.answer('three', false);
  expect(await fact.check(answering({ name: 'three' }))).toHaveLength(1);
});

it('a name that is read while it changes is one of that time', async () => {
  const fact = createValueFact({ kind: 'profile', path: 'v4/profiles', id: 'a', value: 'one' });
  const readAs = (name: string): Promise<string[]> =>
    fact.check(async () => {
      for (const next of ['two', 'three']) {
        fact.ask(next);
        fact.answer(next, true);
      }
      return { status: 200, json: { name } };
    });
  expect(await readAs('one')).toEqual([]);
  expect(await readAs('two')).toEqual([]);
  expect(await readAs('one')).toHaveLength(1);
  expect(await fact.check(answering({ name: 'two' }))).toHaveLength(1);
});

it('events stay as they were told, and a goal is told once', async () => {
  const event = (id: number): JsonObject => ({ id, type: 'agent.step', ts: 't', runId: 'a', data: {} });
  const page = (...ids: number[]): JsonObject => ({ events: ids.map(event), hasMore: false });
  const fact = createEventsFact('a');
  const call = answering(page(1, 2), page(1, 2, 5), page(1, 5), page(5, 1));
  expect(await fact.check(call)).toEqual([]);
  expect(await fact.check(call)).toEqual([]);
  expect(await fact.check(call)).toHaveLength(2);
  expect(await fact.check(call)).toContain('events of run a are not in order: 5 1');
  const told = {
    messages: [
      { role: 'human', data: 'go' },
      { role: 'human', data: 'go' },
    ],
  };
  expect(await createGoalFact('a', 'go').check(answering(told))).toEqual([
    'goal "go" of v3 session a is told 2 times (200)',
  ]);
});

it('finds books that do not add up and bytes without an owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-books-'));
  try {
    const db = await openDatabase(join(folder, 'svc.sqlite'));
    await db.insertInto('projects').values({ id: 'p', name: 'p', createdAt: 0 }).execute();
    const texts = { status: 'stopped', model: 'm', generation: 'v3', liveHash: 'l', viewHash: 'v' } as const;
    const numbers = {
      keepAlive: 0,
      codeMode: 0,
      enableRecording: 0,
      useOwnKey: 0,
      stepCount: 1,
      inputTokens: 7,
      outputTokens: 0,
      proxyBytes: 0,
      browserMs: 0,
    } as const;
    const times = { createdAt: 0, updatedAt: 0, activeAt: 0 };
    await db
      .insertInto('sessions')
      .values({ id: 's', projectId: 'p', ...texts, ...numbers, ...times, screenshotKey: 'gone.jpg' })
      .execute();
    await db
      .insertInto('runs')
      .values({
        id: 'r',
        sessionId: 's',
        projectId: 'p',
        generation: 'v3',
        task: 't',
        status: 'succeeded',
        inputTokens: 3,
        createdAt: 0,
      })
      .execute();
    await db.insertInto('profile_leases').values({ profileId: 'f', holderId: 's', takenAt: 0 }).execute();
    mkdirSync(join(folder, 'blobs'));
    writeFileSync(join(folder, 'blobs', 'mine.jpg'), '');
    expect((await readBooks(sqliteReader(folder))).faults).toEqual([
      'the tokens of a session are not those of its runs: s (7/0 and 3/0)',
      'the tokens of a run are not those of its steps: r (3/0 and 0/0)',
      'a session counts other steps than it has: s (1 and 0)',
      'a run that has ended is still going on, or the other way round: r (succeeded null)',
      'an ended holder still holds a profile: f (stopped)',
    ]);
    expect(await unreferencedBlobs(join(folder, 'blobs'), sqliteReader(folder))).toEqual([
      'the bytes mine.jpg have no owner',
      'the bytes gone.jpg of a row are gone',
    ]);
    await db.destroy();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
