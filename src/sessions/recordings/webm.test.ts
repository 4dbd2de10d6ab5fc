import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { EncodedFrame } from '#browsers/host.ts';
import { finishWebm, openWebm } from './webm-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-webm-'));
const size = { width: 640, height: 480 };
let file: string;
let count = 0;

beforeEach(() => {
  file = join(folder, `${(count += 1)}.webm`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a picture whose bytes contain its time. */
const picture = (timeMs: number, isKey = false): EncodedFrame => ({
  data: Buffer.from(`picture ${timeMs};`),
  isKey,
  timeMs,
});

async function write(frames: readonly EncodedFrame[]): Promise<void> {
  const video = await openWebm(file, size);
  for (const frame of frames) await video.append(frame);
  await video.close();
}

/** Parses the EBML elements of a finished file into a flat list, without the code under test. */
function elements(bytes: Buffer): { id: string; at: number; data: Buffer }[] {
  const masters = new Set([
    '18538067',
    '1f43b675',
    '1654ae6b',
    'ae',
    'e0',
    '1549a966',
    '114d9b74',
    '4dbb',
    '1c53bb6b',
    'bb',
    'b7',
  ]);
  const found: { id: string; at: number; data: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const idLength = Math.clz32(bytes.readUInt8(at)) - 23;
    const id = bytes.subarray(at, at + idLength).toString('hex');
    const sizeLength = Math.clz32(bytes.readUInt8(at + idLength)) - 23;
    const first = bytes.readUInt8(at + idLength) & (0xff >> sizeLength);
    const rest = bytes.subarray(at + idLength + 1, at + idLength + sizeLength);
    const length = rest.reduce((sum, byte) => sum * 256 + byte, first);
    const dataAt = at + idLength + sizeLength;
    found.push({ id, at, data: bytes.subarray(dataAt, dataAt + length) });
    at = masters.has(id) ? dataAt : dataAt + length;
  }
  return found;
}

/** Returns time, text and key flag of each picture in a finished file. */
function pictures(bytes: Buffer): { timeMs: number; text: string; isKey: boolean }[] {
  let clusterMs = 0;
  return elements(bytes).flatMap(({ id, data }) => {
    if (id === 'e7') clusterMs = data.readUIntBE(0, data.length);
    if (id !== 'a3') return [];
    return [
      { timeMs: clusterMs + data.readInt16BE(1), isKey: data.readUInt8(3) === 0x80, text: data.subarray(4).toString() },
    ];
  });
}

const two = [picture(0, true), picture(100), picture(40_000, true), picture(40_100), picture(75_000)];
const shown = two.map(({ timeMs, isKey }) => ({ timeMs, isKey, text: `picture ${timeMs};` }));

describe('a WebM file', () => {
  it('holds every picture at its time, with a size, a duration and an index that leads to each cluster', async () => {
    await write(two);
    const done = await finishWebm(file);
    const bytes = readFileSync(file);
    expect(done).toEqual({ ...size, durationMs: 75_100, bytes: bytes.length });
    expect(pictures(bytes)).toEqual(shown);
    const all = elements(bytes);
    const one = (id: string): Buffer => all.find((found) => found.id === id)?.data ?? Buffer.alloc(0);
    expect(one('4489').readDoubleBE()).toBe(75_100);
    expect([one('b0').readUInt16BE(), one('ba').readUInt16BE(), one('86').toString()]).toEqual([640, 480, 'V_VP8']);
    const segmentAt = (all.find(({ id }) => id === '18538067')?.at ?? 0) + 12;
    expect(one('18538067').length).toBe(bytes.length - segmentAt);
    const clusters = all.filter(({ id }) => id === '1f43b675').map(({ at }) => at - segmentAt);
    const points = all.filter(({ id }) => id === 'f1').map(({ data }) => data.readUIntBE(0, 6));
    expect(points).toEqual(clusters);
    expect(clusters).toHaveLength(3);
    expect(one('53ac').readUIntBE(0, 6)).toBe((all.find(({ id }) => id === '1c53bb6b')?.at ?? 0) - segmentAt);
  });

  it('is completed wherever its writing was cut off, with all pictures that are whole', async () => {
    await write(two);
    const written = readFileSync(file);
    let most = 0;
    for (let length = 0; length <= written.length; length += 1) {
      writeFileSync(file, written.subarray(0, length));
      const done = await finishWebm(file);
      const kept = done === null ? [] : pictures(readFileSync(file));
      expect(kept).toEqual(shown.slice(0, kept.length));
      expect(kept.length).toBeGreaterThanOrEqual(most);
      most = kept.length;
      expect(done === null).toBe(kept.length === 0);
    }
    expect(most).toBe(shown.length);
  });

  it('goes on behind its last whole picture, in the size that it has, finished or not', async () => {
    await write(two.slice(0, 2));
    truncateSync(file, readFileSync(file).length - 1);
    const again = await openWebm(file, { width: 2, height: 2 });
    expect([again.size, again.lastMs()]).toEqual([size, 0]);
    await again.append(picture(50_000, true));
    await again.close();
    await finishWebm(file);
    const third = await openWebm(file, size);
    await third.append(picture(60_000, true));
    await third.close();
    expect(await finishWebm(file)).toMatchObject({ ...size, durationMs: 60_100 });
    expect(pictures(readFileSync(file)).map(({ timeMs }) => timeMs)).toEqual([0, 50_000, 60_000]);
  });

  it('is finished twice as once', async () => {
    await write(two);
    const first = await finishWebm(file);
    const bytes = readFileSync(file);
    expect(await finishWebm(file)).toEqual(first);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('returns null without a whole picture, or without a file', async () => {
    expect(await finishWebm(file)).toBeNull();
    await write([]);
    expect(await finishWebm(file)).toBeNull();
  });

  it('refuses a picture that is not later than the previous picture', async () => {
    const video = await openWebm(file, size);
    await video.append(picture(100, true));
    await expect(video.append(picture(100))).rejects.toThrow('found a picture at 100 ms behind one at 100 ms');
    await video.close();
  });

  it('does not take a file for its own that is another', async () => {
    writeFileSync(file, 'x'.repeat(1000));
    await expect(openWebm(file, size)).rejects.toThrow('found a file that is no video of ours');
  });
});
