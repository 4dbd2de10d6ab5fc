import { describe, expect, test } from 'vitest';
import { type Admission, createAdmission, createWaitEstimate, HostBusy } from './admission.ts';

/** Creates starts that the test ends one by one. */
function createStarts(admission: Admission): {
  readonly begun: number[];
  add(name: number, withinMs?: number, signal?: AbortSignal): Promise<number>;
  end(name: number): void;
} {
  const begun: number[] = [];
  const gates = new Map<number, PromiseWithResolvers<number>>();
  return {
    begun,
    add(name, withinMs, signal) {
      const gate = Promise.withResolvers<number>();
      gates.set(name, gate);
      const work = (): Promise<number> => {
        begun.push(name);
        return gate.promise;
      };
      return admission.run(work, { startsWithinMs: withinMs, signal });
    },
    end: (name) => gates.get(name)?.resolve(name),
  };
}

const calm = { places: 2, waitingMax: 1, isPressed: async () => false };

describe('admission', () => {
  test('lets so many in at once, in the order of arrival, and goes on after a failure', async () => {
    const admission = createAdmission(calm);
    const starts = createStarts(admission);
    const failing = Promise.withResolvers<never>();
    const failed = admission.run(() => failing.promise);
    const all = [1, 2, 3].map((name) => starts.add(name));
    await expect.poll(() => starts.begun).toEqual([1]);
    failing.reject(new Error('failed'));
    await expect(failed).rejects.toThrow('failed');
    await expect.poll(() => starts.begun).toEqual([1, 2]);
    for (const name of [1, 2, 3]) starts.end(name);
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
    expect(starts.begun).toEqual([1, 2, 3]);
  });

  test('refuses a start with a deadline when the queue is full, and queues a start without one', async () => {
    const starts = createStarts(createAdmission(calm));
    const all = [1, 2, 3].map((name) => starts.add(name));
    await expect.poll(() => starts.begun).toEqual([1, 2]);
    await expect(starts.add(4, 60_000)).rejects.toEqual(new HostBusy(1, 1_000));
    all.push(starts.add(5));
    for (const name of [1, 2, 3, 5]) starts.end(name);
    expect(await Promise.all(all)).toEqual([1, 2, 3, 5]);
    expect(starts.begun).not.toContain(4);
  });

  test('refuses a start at its deadline and never runs it', async () => {
    const starts = createStarts(createAdmission(calm));
    const all = [1, 2].map((name) => starts.add(name));
    await expect(starts.add(3, 1)).rejects.toBeInstanceOf(HostBusy);
    for (const name of [1, 2]) starts.end(name);
    await Promise.all(all);
    expect(starts.begun).toEqual([1, 2]);
  });

  test('gives the place in the queue of a start that is not needed any more to another start', async () => {
    const admission = createAdmission(calm);
    const starts = createStarts(admission);
    const all = [1, 2].map((name) => starts.add(name));
    await expect.poll(() => starts.begun).toEqual([1, 2]);
    const given = new AbortController();
    const left = starts.add(3, 60_000, given.signal);
    await expect.poll(() => admission.waiting).toBe(1);
    given.abort(new Error('stopped'));
    await expect(left).rejects.toThrow('stopped');
    expect(admission.waiting).toBe(0);
    all.push(starts.add(4, 60_000));
    await expect(starts.add(5, 60_000, given.signal)).rejects.toBeInstanceOf(HostBusy);
    for (const name of [1, 2, 4]) starts.end(name);
    expect(await Promise.all(all)).toEqual([1, 2, 4]);
    await expect(starts.add(6, undefined, given.signal)).rejects.toThrow('stopped');
    expect(starts.begun).toEqual([1, 2, 4]);
  });

  test('lets one in at a time while the processors are pressed', async () => {
    let pressed = true;
    const admission = createAdmission({ ...calm, places: 3, isPressed: async () => pressed });
    const starts = createStarts(admission);
    const all = [1, 2, 3, 4].map((name) => starts.add(name));
    await expect.poll(() => starts.begun).toEqual([1]);
    expect(await admission.isIdle()).toBe(false);
    starts.end(1);
    await expect.poll(() => starts.begun).toEqual([1, 2]);
    pressed = false;
    starts.end(2);
    await expect.poll(() => starts.begun).toEqual([1, 2, 3, 4]);
    for (const name of [3, 4]) starts.end(name);
    await Promise.all(all);
    expect(await admission.isIdle()).toBe(true);
  });
});

test('a line takes as long as the latest starts took, and never less than a second or more than a minute', () => {
  let now = 0;
  const estimate = createWaitEstimate(2, () => now);
  expect([estimate.forLine(0), estimate.forLine(9)]).toEqual([1_000, 5_000]);
  for (let start = 0; start < 50; start += 1) {
    const stop = estimate.start();
    now += 4_000;
    stop();
  }
  expect(estimate.forLine(9)).toBeCloseTo(20_000, -1);
  expect(estimate.forLine(1_000)).toBe(60_000);
});
