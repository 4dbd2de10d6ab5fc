import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { Unavailable } from '#lib/http.ts';
import { createVault } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';
import { openDatabase } from '#store/open-database.ts';
import {
  type NewWorker,
  sendHeartbeat,
  reclaimPredecessors,
  reclaimWorkers,
  drainWorker,
  forgetWorkers,
  findLeastLoadedWorker,
  livingWorkers,
  registerWorker,
  getSilenceMs,
} from '#store/queries/workers.ts';
import type { BusMessage, Command, WorkerBus } from './worker-bus.ts';
import { openSharing } from './open-sharing.ts';
import { type OwnerRequests, createOwnerRequests } from './owner-requests.ts';

const log = pino({ level: 'silent' });
const command: Command = { op: 'stopRun', sessionId: 'a session', runId: 'a secret run' };
let db: Database;
let seen: BusMessage[];
let hearing: Map<string, (message: BusMessage) => void>;

const bus: WorkerBus = {
  async send(to, message) {
    seen.push(message);
    const hear = hearing.get(to);
    if (hear === undefined) return false;
    hear(message);
    return true;
  },
  listen: async (self, hear) => void hearing.set(self, hear),
  forget: async (dead) => void hearing.delete(dead),
  close: async () => undefined,
};

beforeEach(async () => {
  db = await openDatabase(':memory:');
  seen = [];
  hearing = new Map();
});

afterEach(() => db.destroy());

async function twoProcesses(run: (command: Command) => Promise<Record<string, number>>): Promise<OwnerRequests> {
  const vault = createVault(randomBytes(32));
  const asking = createOwnerRequests({ vault, bus, newId: randomUUID, log }, 'one');
  await asking.handleCommands(async () => ({}));
  await createOwnerRequests({ vault, bus, newId: randomUUID, log }, 'two').handleCommands(run);
  return asking;
}

it('runs a command in the owning process and encrypts its messages', async () => {
  const done: Command[] = [];
  const asking = await twoProcesses(async (asked) => {
    done.push(asked);
    return { bytes: 7 };
  });
  expect(await asking.ask('two', command)).toEqual({ bytes: 7 });
  expect(done).toEqual([command]);
  expect(JSON.stringify(seen)).not.toContain('secret run');
  expect(seen.map(({ kind }) => kind)).toEqual(['command', 'answer']);
});

it('rejects with the error of the owning process', async () => {
  const asking = await twoProcesses(() => Promise.reject(new Error('no disk')));
  await expect(asking.ask('two', command)).rejects.toThrow('the worker two failed: "no disk"');
});

it('rejects with a retryable error when a live process does not respond', async () => {
  const asking = await twoProcesses(() => new Promise(() => undefined));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const code = asking.ask('two', command).then(
    () => 'done',
    (error: unknown) => (error instanceof Unavailable ? error.code : String(error)),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await code).toBe('owner_silent');
});

it('returns results, but no failures and no later commands, from a leaving process', async () => {
  const vault = createVault(randomBytes(32));
  const asking = createOwnerRequests({ vault, bus, newId: randomUUID, log }, 'one');
  const leaving = createOwnerRequests({ vault, bus, newId: randomUUID, log }, 'two');
  await asking.handleCommands(async () => ({}));
  const [failing, working] = [
    Promise.withResolvers<Record<string, number>>(),
    Promise.withResolvers<Record<string, number>>(),
  ];
  const turns = [failing.promise, working.promise];
  await leaving.handleCommands(() => turns.shift() ?? expect.fail('it was told something after it had left'));
  const asked = [asking.ask('two', command), asking.ask('two', command)];
  leaving.leave();
  asked.push(asking.ask('two', command));
  failing.reject(new Error('driver has already been destroyed'));
  working.resolve({ bytes: 7 });
  expect(await asked[1]).toEqual({ bytes: 7 });
  asking.living(new Set(['one']));
  expect(await Promise.all(asked)).toEqual([null, { bytes: 7 }, null]);
});

it('rejects only its caller when a failure arrives while the command is still being sent', async () => {
  const sent = Promise.withResolvers<boolean>();
  const slowBus: WorkerBus = {
    ...bus,
    async send(to, message) {
      const isSent = await bus.send(to, message);
      return message.kind === 'command' ? sent.promise : isSent;
    },
  };
  const vault = createVault(randomBytes(32));
  const asking = createOwnerRequests({ vault, bus: slowBus, newId: randomUUID, log }, 'one');
  await asking.handleCommands(async () => ({}));
  await createOwnerRequests({ vault, bus: slowBus, newId: randomUUID, log }, 'two').handleCommands(() =>
    Promise.reject(new Error('no disk')),
  );
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
  const asked = asking.ask('two', command).catch(String);
  await setImmediate();
  sent.resolve(true);
  expect(await asked).toContain('the worker two failed');
  expect(unhandled).toEqual([]);
});

it('rejects with a retryable error when a command cannot be sent in time', async () => {
  const stuckBus: WorkerBus = { ...bus, send: () => new Promise(() => undefined) };
  const vault = createVault(randomBytes(32));
  const asking = createOwnerRequests({ vault, bus: stuckBus, newId: randomUUID, log }, 'one');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked = asking.ask('two', command).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await asked).toBeInstanceOf(Unavailable);
});

it('ends only the requests to a process that dies', async () => {
  const asking = await twoProcesses(() => new Promise(() => undefined));
  const asked = asking.ask('two', command);
  const gone = asking.ask('three', command);
  asking.living(new Set(['one', 'two']));
  expect(await gone).toBeNull();
  asking.living(new Set(['one']));
  expect(await asked).toBeNull();
});

it('assigns new rows to available workers in turn', async () => {
  expect(await findLeastLoadedWorker(db, 0)).toEqual({ owner: null, ownerUrl: null });
  await registerWorker(db, { id: 'api', role: 'api', url: 'http://api' });
  for (const id of ['w1', 'w2', 'w3']) await registerWorker(db, { id, role: 'worker', url: `http://${id}` });
  await drainWorker(db, 'w2');
  const chosen = [];
  for (const turn of [0, 1, 2]) chosen.push((await findLeastLoadedWorker(db, turn)).owner);
  expect(chosen).toEqual(['w1', 'w3', 'w1']);
});

it('excludes a process after its heartbeat timeout for good', async () => {
  await registerWorker(db, { id: 'w1', role: 'worker', url: 'http://w1' });
  expect(await reclaimWorkers(db, 15_000)).toEqual([]);
  await db.updateTable('workers').set({ heartbeatAt: 1 }).execute();
  expect(await reclaimWorkers(db, null)).toEqual([]);
  expect(await reclaimWorkers(db, 15_000)).toEqual([{ id: 'w1', isDraining: 0 }]);
  expect(await sendHeartbeat(db, 'w1')).toBe(false);
  expect(await livingWorkers(db)).toEqual([]);
  await forgetWorkers(db, 60_000);
  expect(await reclaimWorkers(db, null)).toEqual([{ id: 'w1', isDraining: 0 }]);
  await db.updateTable('workers').set({ buriedAt: 1 }).execute();
  await forgetWorkers(db, 60_000);
  expect(await reclaimWorkers(db, null)).toEqual([]);
  expect(await findLeastLoadedWorker(db, 0)).toEqual({ owner: null, ownerUrl: null });
});

it('replaces a worker with the same URL; API processes may share a URL', async () => {
  const at = (id: string, role: 'api' | 'worker'): NewWorker => ({ id, role, url: 'http://one' });
  for (const one of [at('a1', 'api'), at('a2', 'api'), at('w1', 'worker'), at('w2', 'worker')]) {
    await registerWorker(db, one);
    await reclaimPredecessors(db, one);
  }
  expect((await livingWorkers(db)).map(({ id }) => id)).toEqual(['a1', 'a2', 'w2']);
});

it('returns the time since the last heartbeat of a process', async () => {
  await registerWorker(db, { id: 'w1', role: 'worker', url: 'http://w1' });
  await db
    .updateTable('workers')
    .set({ heartbeatAt: Date.now() - 60_000 })
    .execute();
  expect(await getSilenceMs(db, 'w1')).toBeGreaterThan(59_000);
  expect(await getSilenceMs(db, 'nobody')).toBe(0);
});

it('allows API processes a longer heartbeat timeout', async () => {
  await registerWorker(db, { id: 'a1', role: 'api', url: 'http://one' });
  const silentFor = (ms: number): Promise<unknown> =>
    db
      .updateTable('workers')
      .set({ heartbeatAt: Date.now() - ms })
      .execute();
  await silentFor(60_000);
  expect(await reclaimWorkers(db, 15_000)).toEqual([]);
  await silentFor(160_000);
  expect(await reclaimWorkers(db, 15_000)).toEqual([{ id: 'a1', isDraining: 0 }]);
});

it('keeps its heartbeat during a long maintenance, and waits for the maintenance before it leaves', async () => {
  const begun = Promise.withResolvers<void>();
  const maintained = Promise.withResolvers<void>();
  let isJoined = false;
  const lookAfter = async (): Promise<void> => {
    if (!isJoined) return;
    begun.resolve();
    await maintained.promise;
  };
  const part = { handleCommand: async () => ({}), reclaim: async () => undefined, close: async () => undefined };
  const sharing = openSharing(
    {
      role: 'all',
      bus,
      pulse: { everyMs: 5, silentMs: 60_000 },
      sweepAlone: async () => true,
      onReclaimed: () => undefined,
    },
    { db, vault: createVault(randomBytes(32)), url: () => 'http://self', newId: randomUUID, log },
  );
  const engine = { ...part, handleCommand: async () => undefined, lookAfter };
  const browsers = { ...part, lookAfter: async () => undefined };
  await sharing.join({ engine, browsers, recordings: part }, 'http://self');
  isJoined = true;
  await begun.promise;
  await db.updateTable('workers').set({ heartbeatAt: 1 }).execute();
  await vi.waitFor(async () => {
    expect(await livingWorkers(db)).not.toMatchObject([{ heartbeatAt: 1 }]);
  });
  const left = sharing.leave().then(() => 'left');
  expect(await Promise.race([left, setImmediate('waits')])).toBe('waits');
  maintained.resolve();
  expect(await left).toBe('left');
});
