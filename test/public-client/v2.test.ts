import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { collect } from './collect.ts';
import { type Desk, openDesk } from './desk.ts';
import { streamSteps, waitForTask } from './v2-client.ts';
import { WaitTimeout } from './wait-options.ts';

/**
 * This file tests how the public V2 client waits for the end of a task (companion 2, C11, C12, C21, C28). The test
 * advances the clock.
 */

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk('v2');
});
afterEach(() => desk.stop());

async function create(body: JsonObject = {}): Promise<string> {
  return String((await desk.api.call('POST', '/tasks', { task: 'goal', ...body })).body['id']);
}

describe('the wait for a V2 task', () => {
  it.each([
    {
      name: 'succeeds',
      end: (id: string) => desk.finish('goal', id),
      want: { status: 'finished', isSuccess: true, output: 'goal done' },
    },
    {
      name: 'gives up',
      end: (id: string) => desk.finish('goal', id, { success: false, output: null, reason: 'no such page' }),
      want: { status: 'finished', isSuccess: false },
    },
    {
      name: 'loses its browser',
      end: (id: string) => desk.fail('goal', id),
      want: { status: 'finished', isSuccess: false },
    },
    {
      name: 'is stopped',
      end: (id: string) => desk.api.call('PATCH', `/tasks/${id}`, { action: 'stop' }),
      want: { status: 'stopped', isSuccess: null },
    },
    {
      name: 'is stopped with its session',
      end: (id: string) => desk.api.call('PATCH', `/tasks/${id}`, { action: 'stop_task_and_session' }),
      want: { status: 'stopped' },
    },
  ])('ends at the first poll after the task $name', async ({ end, want }) => {
    const id = await create();
    desk.time.during(2, () => desk.begun('goal'));
    desk.time.during(3, () => end(id));
    const task = await waitForTask(desk.client, id);
    expect(task).toMatchObject({ id, ...want });
    expect(task.finishedAt).not.toBeNull();
    expect(desk.time.sleeps).toEqual([2000, 2000, 2000]);
  });

  it('gives up after its own time, and the task goes on', async () => {
    const id = await create();
    await expect(waitForTask(desk.client, id)).rejects.toThrow(WaitTimeout);
    expect(desk.time.elapsedMs()).toBe(300_000);
    expect((await desk.api.call('GET', `/tasks/${id}`)).body['status']).toBe('started');
    await desk.finish('goal', id);
    expect(await waitForTask(desk.client, id)).toMatchObject({ status: 'finished', isSuccess: true });
  });

  it('gets the output of a schema as the text of JSON', async () => {
    const structuredOutput = JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } });
    const id = await create({ structuredOutput });
    desk.time.during(1, () => desk.finish('goal', id, { success: true, output: { title: 'x' } }));
    const { output } = await waitForTask(desk.client, id);
    expect(JSON.parse(String(output))).toEqual({ title: 'x' });
  });
});

describe('the stream of steps of a V2 task', () => {
  it.each([
    { name: 'succeeds', end: (id: string) => desk.finish('goal', id) },
    { name: 'loses its browser', end: (id: string) => desk.fail('goal', id) },
    { name: 'is stopped', end: (id: string) => desk.api.call('PATCH', `/tasks/${id}`, { action: 'stop' }) },
  ])('yields every step once, in order, and ends when the task $name', async ({ end }) => {
    const id = await create();
    desk.time.during(2, () => desk.step('goal'));
    desk.time.during(3, async () => {
      await desk.step('goal');
      await desk.step('goal');
    });
    desk.time.during(5, async () => {
      await desk.step('goal');
      await end(id);
    });
    const yielded = await collect(streamSteps(desk.client, id));
    expect(yielded.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    // Steps are append-only: the ended task shows the steps that were yielded while it ran.
    expect((await desk.api.call('GET', `/tasks/${id}`)).body['steps']).toMatchObject(
      yielded.map(({ screenshotUrl: _signed, ...step }) => step),
    );
    expect(desk.time.sleeps).toEqual([2000, 2000, 2000, 2000, 2000]);
  });
});
