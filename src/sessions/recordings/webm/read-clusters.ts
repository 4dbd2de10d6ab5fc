import type { FileHandle } from 'node:fs/promises';
import { BLOCK_HEAD_LENGTH, CLUSTER_HEAD_LENGTH, readBlockHead, readClusterHead } from './webm-cluster.ts';
import { HEAD_LENGTH } from './webm-head.ts';

/** A cluster of pictures in a file: its place in bytes and the time of its first picture in milliseconds. */
export interface ClusterPlace {
  readonly at: number;
  readonly timeMs: number;
}

/** The whole pictures of a file. */
export interface Clusters {
  readonly places: readonly ClusterPlace[];
  /** Where the last whole picture ends, in bytes: what follows is cut off, or is no picture. */
  readonly end: number;
  /** Time of the last picture, or null when there is none. */
  readonly lastMs: number | null;
}

/**
 * Finds the clusters of a file that was written by `openWebm`, however its writing ended: what the process did not come to
 * write is left out. Reads their heads only, and those of the pictures in the last.
 */
export async function readClusters(file: FileHandle): Promise<Clusters> {
  const { size } = await file.stat();
  const places: ClusterPlace[] = [];
  let end = HEAD_LENGTH;
  for (;;) {
    const head = readClusterHead(await bytesAt(file, end, CLUSTER_HEAD_LENGTH));
    if (head === null) break;
    const contentAt = end + CLUSTER_HEAD_LENGTH;
    const isWhole = head.contentLength !== null && contentAt + head.contentLength <= size;
    const contentEnd = isWhole ? contentAt + (head.contentLength ?? 0) : (await lastBlock(file, contentAt, size)).end;
    // A cluster without a whole picture is not one.
    if (contentEnd === contentAt) break;
    places.push({ at: end, timeMs: head.timeMs });
    end = contentEnd;
    if (!isWhole) break;
  }
  const last = places.at(-1);
  if (last === undefined) return { places, end, lastMs: null };
  const { lastMs } = await lastBlock(file, last.at + CLUSTER_HEAD_LENGTH, end);
  return { places, end, lastMs: last.timeMs + (lastMs ?? 0) };
}

/** Where the last whole picture of a cluster ends, and its time from the cluster's own. */
async function lastBlock(
  file: FileHandle,
  from: number,
  limit: number,
): Promise<{ readonly end: number; readonly lastMs: number | null }> {
  let end = from;
  let lastMs: number | null = null;
  for (;;) {
    const block = readBlockHead(await bytesAt(file, end, BLOCK_HEAD_LENGTH));
    if (block === null || end + BLOCK_HEAD_LENGTH + block.length > limit) return { end, lastMs };
    end += BLOCK_HEAD_LENGTH + block.length;
    lastMs = block.offsetMs;
  }
}

/** Fewer where the file ends. */
async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position, length });
  return buffer.subarray(0, bytesRead);
}
