import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedHost } from '#browsers/index.ts';
import type { JsonObject } from '#lib/json.ts';
import { type GatedHost, createGatedHost } from '../support/gated-host.ts';
import { type Desk, openDesk } from './desk.ts';
import { RunEnded, waitForEvent, waitForRun } from './v4-client.ts';
import { WaitTimeout } from './wait-options.ts';

/**
 * This file tests how the public V4 client waits for the end of a run (companion 2, C17, C18, C30). The test advances
 * the clock.
 */

let host: GatedHost;
let desk: Desk;

beforeEach(async () => {
  host = createGatedHost();
  desk = await openDesk('v4', { host });
});
afterEach(() => desk.stop());

async function create(body: JsonObject = {}): Promise<string> {
  return String((await desk.api.call('POST', '/runs', { task: 'goal', ...body })).body['id']);
}

const cancel = (id: string): Promise<unknown> => desk.api.call('POST', `/runs/${id}/cancel`);

describe('the wait for a V4 run', () => {
  it.each([
    {
      name: 'succeeds',
      end: (id: string) => desk.finish('goal', id),
      want: { status: 'completed', result: 'goal done', error: null },
    },
    {
      name: 'gives up',
      end: (id: string) => desk.finish('goal', id, { success: false, output: null, reason: 'no such page' }),
      want: { status: 'completed', result: 'no such page' },
    },
    {
      name: 'loses its sandbox',
      end: (id: string) => desk.fail('goal', id),
      want: { status: 'failed', result: null, error: 'boom' },
    },
    { name: 'is cancelled', end: cancel, want: { status: 'cancelled', result: null, error: null } },
  ])('ends at the first poll after the run $name, and the record is complete then', async ({ end, want }) => {
    const id = await create();
    desk.time.during(2, () => desk.step('goal'));
    desk.time.during(3, () => end(id));
    const run = await waitForRun(desk.client, id);
    expect(run).toMatchObject({ id, totalInputTokens: 10, ...want });
    expect(desk.time.sleeps).toEqual([2000, 2000, 2000]);
    // The client reads the record once, so no later change may follow.
    await desk.time.sleep(60_000);
    expect((await desk.api.call('GET', `/runs/${id}`)).body).toEqual(run);
  });

  it('ends when the sandbox does not start', async () => {
    await desk.stop();
    desk = await openDesk('v4', { host: createSimulatedHost({ launchFailure: 'no room' }) });
    const id = await create();
    desk.time.during(1, () => desk.api.until(id, ({ status }) => status === 'failed'));
    expect(await waitForRun(desk.client, id)).toMatchObject({ status: 'failed', result: null });
  });

  it('gives up after its own time, and the run goes on', async () => {
    const id = await create();
    await expect(waitForRun(desk.client, id, { timeoutMs: 60_000 })).rejects.toThrow(WaitTimeout);
    await desk.finish('goal', id);
    expect(await waitForRun(desk.client, id)).toMatchObject({ result: 'goal done' });
  });
});

describe('the wait for an event of a V4 run', () => {
  it('finds one that comes later, each event read once', async () => {
    const open = host.holdLaunches();
    const id = await create();
    const cursors: number[] = [];
    for (const sleep of [1, 2]) desk.time.during(sleep, async () => void cursors.push(await nextAfter(id)));
    desk.time.during(3, async () => {
      open();
      await desk.step('goal');
    });
    const event = await waitForEvent(desk.client, id, 'browser.ready');
    expect(event).toMatchObject({ runId: id, data: { live_view_url: expect.stringContaining('/live/') } });
    expect(desk.time.sleeps).toEqual([1000, 1000, 1000]);
    expect(cursors).toEqual([cursors[0], cursors[0]]);
  });

  it.each([
    { name: 'succeeds', end: (id: string) => desk.finish('goal', id), type: 'run.completed' },
    { name: 'fails', end: (id: string) => desk.fail('goal', id), type: 'run.failed' },
    { name: 'is cancelled', end: cancel, type: 'run.cancelled' },
  ])('ends when the run $name', async ({ end, type }) => {
    const id = await create();
    desk.time.during(2, () => desk.step('goal'));
    desk.time.during(3, () => end(id));
    await expect(waitForEvent(desk.client, id, 'never')).rejects.toThrow(new RunEnded(type));
    expect(desk.time.sleeps).toEqual([1000, 1000, 1000]);
  });

  it('ends when the run could not be dispatched', async () => {
    await desk.stop();
    desk = await openDesk('v4', { host: createSimulatedHost({ launchFailure: 'no room' }) });
    const id = await create();
    desk.time.during(1, () => desk.api.until(id, ({ status }) => status === 'failed'));
    await expect(waitForEvent(desk.client, id, 'never')).rejects.toThrow(new RunEnded('run.dispatch_failed'));
  });

  it('goes on from the last event that was shown, page after page', async () => {
    const id = await create();
    desk.time.during(1, async () => {
      for (let step = 0; step < 230; step += 1) await desk.step('goal');
    });
    desk.time.during(4, () => desk.finish('goal', id));
    await expect(waitForEvent(desk.client, id, 'never')).rejects.toThrow(new RunEnded('run.completed'));
    // 230 steps fill three pages of events. The run ends during the fourth sleep, and the next read finds its end.
    expect(desk.time.sleeps).toHaveLength(4);
  });

  /** Expects an empty page after the last event. Returns the cursor of that page, which must be a number. */
  async function nextAfter(id: string): Promise<number> {
    const all = (await desk.api.call('GET', `/runs/${id}/events`)).body['nextAfter'];
    const { body } = await desk.api.call('GET', `/runs/${id}/events?after=${String(all)}`);
    expect(body).toEqual({ events: [], nextAfter: all, hasMore: false });
    return Number(all);
  }
});

it('browserSettings need no country on the wire, although the types of the client ask for one', async () => {
  for (const browserSettings of [{}, { proxyCountryCode: 'us' }, { proxyCountryCode: null }]) {
    const { status } = await desk.api.call('POST', '/runs', { task: JSON.stringify(browserSettings), browserSettings });
    expect(status).toBe(200);
  }
});
