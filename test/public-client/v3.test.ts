import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedHost } from '#browsers/index.ts';
import { type GatedHost, createGatedHost } from '../support/gated-host.ts';
import { collect } from './collect.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Message, dispatch, getSession, streamMessages, waitForRecordings, waitForSession } from './v3-client.ts';
import { WaitTimeout } from './wait-options.ts';

/**
 * This file tests how the public V3 client waits for the end of a session (companion 2, C13 to C16, C22, C23). The test
 * advances the clock.
 */

let host: GatedHost;
let desk: Desk;

beforeEach(async () => {
  host = createGatedHost();
  desk = await openDesk('v3', { host });
});
afterEach(() => desk.stop());

/** Polls a session until it has ended or is idle; returns every status seen. */
async function pollStatuses(id: string): Promise<string[]> {
  const seen = new Set<string>();
  await desk.api.until(id, ({ status }) => {
    seen.add(String(status));
    return !['created', 'running'].includes(String(status));
  });
  return [...seen];
}

describe('the wait for a V3 session', () => {
  it.each([
    {
      name: 'succeeds',
      end: (id: string) => desk.finish('goal', id),
      want: { status: 'stopped', isTaskSuccessful: true, output: 'goal done' },
    },
    {
      name: 'succeeds in a session that stays',
      keepAlive: true,
      end: (id: string) => desk.finish('goal', id),
      want: { status: 'idle', isTaskSuccessful: true, output: 'goal done' },
    },
    {
      name: 'gives up',
      end: (id: string) => desk.finish('goal', id, { success: false, output: null, reason: 'no such page' }),
      want: { status: 'stopped', isTaskSuccessful: false },
    },
    { name: 'loses its sandbox', end: (id: string) => desk.fail('goal', id), want: { status: 'error' } },
    {
      name: 'is stopped with its session',
      end: (id: string) => desk.api.call('POST', `/sessions/${id}/stop`),
      want: { status: 'stopped', output: null },
    },
    {
      name: 'is stopped alone',
      keepAlive: true,
      end: (id: string) => desk.api.call('POST', `/sessions/${id}/stop`, { strategy: 'task' }),
      want: { status: 'idle', output: null },
    },
  ])('ends at the first poll after the task $name', async ({ keepAlive = false, end, want }) => {
    const { session } = await dispatch(desk.client, { task: 'goal', keepAlive, useOwnKey: false });
    desk.time.during(2, () => desk.begun('goal'));
    desk.time.during(3, () => end(session.id));
    expect(await waitForSession(desk.client, session.id)).toMatchObject(want);
    expect(desk.time.sleeps).toEqual([2000, 2000, 2000]);
  });

  it('ends with error when the sandbox does not start', async () => {
    await desk.stop();
    desk = await openDesk('v3', { host: createSimulatedHost({ launchFailure: 'no room' }) });
    const { session } = await dispatch(desk.client, { task: 'goal' });
    await pollStatuses(session.id);
    expect(await waitForSession(desk.client, session.id)).toMatchObject({ status: 'error', output: null });
  });

  it('ends with timed_out when the session has been left alone', async () => {
    const { session } = await dispatch(desk.client, {});
    expect(await waitForSession(desk.client, session.id)).toMatchObject({ status: 'idle' });
    await desk.time.sleep(900_000);
    expect(await waitForSession(desk.client, session.id)).toMatchObject({ status: 'timed_out' });
  });

  it('gives up after its own time, and the task goes on', async () => {
    const { session } = await dispatch(desk.client, { task: 'goal' });
    await expect(waitForSession(desk.client, session.id, { timeoutMs: 60_000 })).rejects.toThrow(WaitTimeout);
    // A minute on the test's clock takes no real time, so the sandbox may still be starting.
    await expect.poll(async () => (await getSession(desk.client, session.id)).status).toBe('running');
    await desk.finish('goal', session.id);
    expect(await waitForSession(desk.client, session.id)).toMatchObject({ output: 'goal done' });
  });

  it('never sees idle before the task ends, neither after a creation nor after a follow-up', async () => {
    const open = host.holdLaunches();
    const { session } = await dispatch(desk.client, { task: 'first', keepAlive: true });
    const first = pollStatuses(session.id);
    expect(session.status).not.toBe('idle');
    open();
    await desk.finish('first', session.id);
    // A short task may end between two polls, so that `running` is not seen. An idle session without output must not be
    // seen.
    expect((await first).filter((status) => !['created', 'running'].includes(status))).toEqual(['idle']);
    expect(await getSession(desk.client, session.id)).toMatchObject({ output: 'first done' });

    const followed = await dispatch(desk.client, { sessionId: session.id, task: 'second' });
    expect(followed.session.status).toBe('running');
    desk.time.during(2, () => desk.finish('second', session.id));
    expect(await waitForSession(desk.client, session.id)).toMatchObject({ status: 'idle', output: 'second done' });
  });

  it('gets the output of a schema as an object', async () => {
    const outputSchema = { type: 'object', properties: { title: { type: 'string' } } };
    const { session } = await dispatch(desk.client, { task: 'goal', outputSchema });
    desk.time.during(1, () => desk.finish('goal', session.id, { success: true, output: { title: 'x' } }));
    expect(await waitForSession(desk.client, session.id)).toMatchObject({ output: { title: 'x' }, outputSchema });
  });
});

describe('the stream of messages of a V3 session', () => {
  it('yields every message once, in order, over more than one page, and ends with the task', async () => {
    const dispatched = await dispatch(desk.client, { task: 'goal' });
    desk.time.during(1, async () => {
      for (let step = 0; step < 120; step += 1) await desk.step('goal');
    });
    desk.time.during(3, () => desk.step('goal'));
    desk.time.during(4, () => desk.finish('goal', dispatched.session.id));
    const messages = await collect(streamMessages(desk.client, dispatched));
    expect(messages.map(({ type }) => type)).toEqual([
      'user_message',
      ...Array.from({ length: 121 }, () => 'browser_action'),
      'completion',
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(123);
  });

  it('of a follow-up begins after the newest message that stood before it', async () => {
    const { session } = await dispatch(desk.client, { task: 'first', keepAlive: true });
    await desk.step('first');
    await desk.finish('first', session.id);
    const dispatched = await dispatch(desk.client, { sessionId: session.id, task: 'second' });
    desk.time.during(1, () => desk.finish('second', session.id));
    const messages = await collect(streamMessages(desk.client, dispatched));
    expect(texts(messages)).toEqual(['second', 'second done']);
  });

  it.each([
    { name: 'fails', end: (id: string) => desk.fail('goal', id) },
    { name: 'is stopped', end: (id: string) => desk.api.call('POST', `/sessions/${id}/stop`) },
  ])('ends when the task $name', async ({ end }) => {
    const dispatched = await dispatch(desk.client, { task: 'goal' });
    desk.time.during(1, () => desk.step('goal'));
    desk.time.during(2, () => end(dispatched.session.id));
    const messages = await collect(streamMessages(desk.client, dispatched));
    expect(texts(messages.slice(0, 2))).toEqual(['goal', '{"kind":"test"}']);
  });
});

it('the wait for recordings ends after 15 s with none where none are made', async () => {
  const { session } = await dispatch(desk.client, { task: 'goal', enableRecording: false });
  await desk.finish('goal', session.id);
  expect(await waitForRecordings(desk.client, session.id)).toEqual([]);
  expect(desk.time.sleeps).toEqual(Array.from({ length: 8 }, () => 2000));
});

function texts(messages: readonly Message[]): string[] {
  return messages.map(({ data }) => data);
}
