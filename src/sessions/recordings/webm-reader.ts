import { type FileHandle, open } from 'node:fs/promises';
import { unlessMissing } from '#lib/system-errors.ts';
import {
  blockId,
  blockHeadLength,
  closeCluster,
  clusterId,
  clusterHeadLength,
  headLength,
  readBlockHead,
  readClusterHead,
  sizeInHead,
  timeStart,
  unknownSize,
  type VideoSize,
  webmCues,
  webmHead,
  type WebmWriter,
} from './webm-writer.ts';

/** A cluster of pictures: its offset in the file in bytes, and the time of its first picture in milliseconds. */
export interface ClusterPlace {
  readonly at: number;
  readonly timeMs: number;
}

/** The clusters of a WebM file that contain a complete picture. */
export interface Clusters {
  readonly places: readonly ClusterPlace[];
  /** End of the last complete picture, in bytes; the rest of the file contains no complete picture. */
  readonly end: number;
  /** Time of the last picture in milliseconds, or null without pictures. */
  readonly lastMs: number | null;
}

/**
 * Finds the clusters of a file written by `openWebm`, also after an interrupted write. Reads only the heads of
 * clusters, and the heads of pictures in the last cluster.
 */
async function readClusters(file: FileHandle): Promise<Clusters> {
  const { size } = await file.stat();
  const places: ClusterPlace[] = [];
  let end = headLength;
  for (;;) {
    const head = readClusterHead(await bytesAt(file, end, clusterHeadLength));
    if (head === null) break;
    const contentAt = end + clusterHeadLength;
    const isWhole = head.contentLength !== null && contentAt + head.contentLength <= size;
    const contentEnd = isWhole ? contentAt + (head.contentLength ?? 0) : (await lastBlock(file, contentAt, size)).end;
    // A cluster without a whole picture does not count.
    if (contentEnd === contentAt) break;
    places.push({ at: end, timeMs: head.timeMs });
    end = contentEnd;
    if (!isWhole) break;
  }
  const last = places.at(-1);
  if (last === undefined) return { places, end, lastMs: null };
  const { lastMs } = await lastBlock(file, last.at + clusterHeadLength, end);
  return { places, end, lastMs: last.timeMs + (lastMs ?? 0) };
}

/**
 * Returns the end of the last complete picture of a cluster in the file, and the time of this picture relative to the
 * cluster. Without a complete picture, returns `from` and null.
 */
async function lastBlock(
  file: FileHandle,
  from: number,
  limit: number,
): Promise<{ readonly end: number; readonly lastMs: number | null }> {
  let end = from;
  let lastMs: number | null = null;
  for (;;) {
    const head = readBlockHead(await bytesAt(file, end, blockHeadLength));
    if (head === null || end + blockHeadLength + head.length > limit) return { end, lastMs };
    end += blockHeadLength + head.length;
    lastMs = head.offsetMs;
  }
}

/** Reads bytes at a position; fewer at the end of the file. */
async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position, length });
  return buffer.subarray(0, bytesRead);
}

/** Size, duration and length in bytes of a complete video. */
export interface FinishedVideo extends VideoSize {
  readonly durationMs: number;
  readonly bytes: number;
}

/** Assumed duration of the last picture, in milliseconds. */
const lastPictureMs = 100;

/**
 * Completes a video, also after an interrupted write: adds its duration and index, and cuts off incomplete data.
 * Returns null without a file, a valid head or a complete picture. Idempotent.
 */
export async function finishWebm(path: string): Promise<FinishedVideo | null> {
  const file = await open(path, 'r+').catch(unlessMissing(null));
  if (file === null) return null;
  try {
    return await finish(file);
  } finally {
    await file.close();
  }
}

async function finish(file: FileHandle): Promise<FinishedVideo | null> {
  const head = Buffer.alloc(headLength);
  const { bytesRead } = await file.read(head, 0, headLength, 0);
  const size = sizeInHead(head.subarray(0, bytesRead));
  if (size === null) return null;
  const { places, end, lastMs } = await readClusters(file);
  const last = places.at(-1);
  if (last === undefined || lastMs === null) return null;
  await closeCluster(file, last, end);
  await file.truncate(end);
  const cues = webmCues(places);
  await file.write(cues, 0, cues.length, end);
  const done = { durationMs: lastMs + lastPictureMs, cuesAt: end, bytes: end + cues.length };
  await file.write(webmHead(size, done), 0, headLength, 0);
  await file.sync();
  return { ...size, durationMs: done.durationMs, bytes: done.bytes };
}

/**
 * Opens a WebM file for writing. Creates it with the given size, or continues an existing file after its last complete
 * picture, with the existing size. Keeps no video data in memory. Rejects when the file cannot be written, or is not a
 * video.
 */
export async function openWebm(path: string, size: VideoSize): Promise<WebmWriter> {
  const file = await open(path, 'a+', 0o600);
  await file.close();
  const handle = await open(path, 'r+');
  try {
    return writer(handle, await begin(handle, size));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function begin(file: FileHandle, wanted: VideoSize): Promise<Begun> {
  const head = Buffer.alloc(headLength);
  const { bytesRead } = await file.read(head, 0, headLength, 0);
  const found = sizeInHead(head.subarray(0, bytesRead));
  // A head that was cut off has no pictures behind it.
  if (found === null && bytesRead === headLength) throw new Error('found a file that is no video of ours');
  const size = found ?? wanted;
  const clusters = found === null ? { places: [], end: headLength, lastMs: null } : await readClusters(file);
  await file.truncate(clusters.end);
  await file.write(webmHead(size, null), 0, headLength, 0);
  const last = clusters.places.at(-1);
  if (last !== undefined) await closeCluster(file, last, clusters.end);
  return { ...clusters, size };
}

function writer(file: FileHandle, { size, end, lastMs: before }: Begun): WebmWriter {
  let bytes = end;
  let lastMs = before;
  let cluster: OpenCluster | null = null;
  const write = async (part: Buffer): Promise<void> => {
    await file.write(part, 0, part.length, bytes);
    bytes += part.length;
  };
  return {
    size,
    lastMs: () => lastMs,
    bytes: () => bytes,
    async append({ data, isKey, timeMs }) {
      if (lastMs !== null && timeMs <= lastMs)
        throw new RangeError(`found a picture at ${timeMs} ms behind one at ${lastMs} ms`);
      const isOver = cluster === null || isKey || timeMs - cluster.timeMs > clusterMsMax;
      if (isOver && cluster !== null) await closeCluster(file, cluster, bytes);
      const current: OpenCluster = isOver || cluster === null ? { at: bytes, timeMs } : cluster;
      const picture = block(data, { offsetMs: timeMs - current.timeMs, isKey });
      await write(isOver ? Buffer.concat([clusterHead(timeMs), picture]) : picture);
      cluster = current;
      lastMs = timeMs;
    },
    close: () => file.close(),
  };
}

/**
 * Maximum offset of a picture from the start of its cluster in milliseconds, which the format stores in 16 bits with a
 * sign.
 */
const clusterMsMax = 32_767;

/** Returns the head of a cluster of unknown length. */
function clusterHead(timeMs: number): Buffer {
  const time = Buffer.alloc(6);
  time.writeUIntBE(timeMs, 0, 6);
  return Buffer.concat([clusterId, unknownSize, timeStart, time]);
}

/** Returns a block with one picture below 268 MB, `offsetMs` after the time of its cluster. */
function block(data: Uint8Array, { offsetMs, isKey }: { offsetMs: number; isKey: boolean }): Buffer {
  const head = Buffer.alloc(blockHeadLength);
  head.writeUInt8(blockId, 0);
  head.writeUInt32BE(0x1000_0000 + data.length + 4, 1);
  head.writeUInt8(trackOne, 5);
  head.writeInt16BE(offsetMs, 6);
  head.writeUInt8(isKey ? keyFlag : 0, 8);
  return Buffer.concat([head, data]);
}

/** The cluster that pictures are appended to. */
interface OpenCluster {
  readonly at: number;
  readonly timeMs: number;
}

interface Begun extends Clusters {
  readonly size: VideoSize;
}

const trackOne = 0x81;

const keyFlag = 0x80;
