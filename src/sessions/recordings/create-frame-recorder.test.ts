import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FrameEncoder, FramePlace } from '#browsers/host.ts';
import { placeholderFrame } from '#browsers/simulated/simulated-tab.ts';
import { type FrameRecorder, type FrameRecorderDeps, createFrameRecorder } from './record-browser.ts';
import { finishWebm } from './webm-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-frames-'));
const bounds = { durationMaxMs: 60_000, bytesMax: 1_000_000, sideMax: 1920, frameIntervalMs: 0, keyIntervalMs: 1_000 };

/**
 * Calls and faults of the fake encoders. `places` contains the time and the key flag of each encoded picture; `opened`
 * and `closed` count the encoders.
 */
interface Desk {
  readonly places: FramePlace[];
  opened: number;
  closed: number;
  /** Faults of the next calls: `fails` makes the opening of an encoder fail, `ends` the encoding of a picture. */
  readonly faults: ('fails' | 'ends')[];
  /** Promise that each encoding waits for. */
  gate: Promise<void>;
}

let desk: Desk;
let clock: number;
let file: string;
let onFull: ReturnType<typeof vi.fn<() => void>>;
let files = 0;

beforeEach(() => {
  desk = { places: [], opened: 0, closed: 0, faults: [], gate: Promise.resolve() };
  clock = 1_000;
  onFull = vi.fn<() => void>();
  file = join(folder, `${(files += 1)}.webm`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openEncoder(): Promise<FrameEncoder> {
  desk.opened += 1;
  if (desk.faults[0] === 'fails') throw new Error(`${desk.faults.shift()}: no encoder`);
  return {
    async encode(_jpeg, place) {
      desk.places.push(place);
      await desk.gate;
      if (desk.faults.shift() === 'ends') throw new Error('the encoder has ended');
      return [{ data: Buffer.alloc(100), ...place }];
    },
    close: async () => void (desk.closed += 1),
  };
}

function recorder(changes: Partial<FrameRecorderDeps['bounds']> = {}): FrameRecorder {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  return createFrameRecorder({ file, openEncoder, bounds: { ...bounds, ...changes }, now: () => clock, log, onFull });
}

/** Pushes a picture at a moment and waits until the encoder has it. */
async function pushAt(to: FrameRecorder, moment: number): Promise<void> {
  const before = desk.places.length;
  clock = moment;
  to.push(placeholderFrame());
  await vi.waitFor(() => expect(desk.places.length).toBeGreaterThan(before));
}

const times = (): number[] => desk.places.map(({ timeMs }) => timeMs);

describe('a recorder of pictures', () => {
  it('gives every picture its own time, and the last one until the end', async () => {
    const one = recorder();
    await pushAt(one, 1_000);
    await pushAt(one, 1_040);
    clock = 9_000;
    await one.end();
    expect(times()).toEqual([0, 40, 8_000]);
    expect(await finishWebm(file)).toMatchObject({ width: 16, height: 10, durationMs: 8_100 });
    expect(desk).toMatchObject({ opened: 1, closed: 1 });
  });

  it('lets a player enter at its beginning and after each interval', async () => {
    const one = recorder();
    for (const moment of [1_000, 1_400, 2_000, 2_400, 3_100]) await pushAt(one, moment);
    await one.end();
    expect(desk.places.map(({ isKey }) => isKey)).toEqual([true, false, true, false, true, false]);
  });

  it('keeps only the latest of the pictures that come while one is encoded', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const one = recorder();
    desk.gate = promise;
    await pushAt(one, 1_000);
    for (clock = 1_010; clock <= 1_500; clock += 10) one.push(placeholderFrame());
    clock = 2_000;
    resolve();
    await one.end();
    expect(times()).toEqual([0, 500, 1_000]);
  });

  it('asks for nothing while nothing changes', async () => {
    const one = recorder();
    await one.end();
    expect(desk).toMatchObject({ opened: 0, places: [] });
    expect(await finishWebm(file)).toBeNull();
  });

  it('goes on with a key frame of another encoder when one ends', async () => {
    const one = recorder();
    await pushAt(one, 1_000);
    desk.faults.push('ends');
    await pushAt(one, 1_100);
    await one.end();
    expect(desk).toMatchObject({ opened: 2, closed: 2 });
    expect(desk.places.slice(1, 3)).toEqual([
      { timeMs: 100, isKey: false },
      { timeMs: 100, isKey: true },
    ]);
    expect(onFull).not.toHaveBeenCalled();
  });

  it('stops when no encoder stays, and what it has is a video', async () => {
    const one = recorder();
    await pushAt(one, 1_000);
    desk.faults.push('ends', 'fails', 'fails', 'fails');
    await pushAt(one, 1_100);
    await vi.waitFor(() => expect(onFull).toHaveBeenCalledTimes(1));
    one.push(placeholderFrame());
    await one.end();
    expect(desk.opened).toBe(4);
    expect(await finishWebm(file)).toMatchObject({ durationMs: 100 });
  });

  it.each([
    { name: 'long', changes: { durationMaxMs: 500 } },
    { name: 'large', changes: { bytesMax: 380 } },
  ])('takes no more pictures when it is as $name as it may be', async ({ changes }) => {
    const one = recorder(changes);
    await pushAt(one, 1_000);
    await pushAt(one, 1_600);
    await vi.waitFor(() => expect(onFull).toHaveBeenCalledTimes(1));
    one.push(placeholderFrame());
    await one.end();
    expect(times()).toEqual([0, 600]);
  });

  it('goes on where an earlier one has stopped, without the time between them', async () => {
    const first = recorder();
    await pushAt(first, 1_000);
    clock = 1_500;
    await first.end();
    const second = recorder({ frameIntervalMs: 100 });
    await pushAt(second, 50_000);
    clock = 50_300;
    await second.end();
    expect(times()).toEqual([0, 500, 600, 900]);
    expect(await finishWebm(file)).toMatchObject({ durationMs: 1_000 });
  });
});
