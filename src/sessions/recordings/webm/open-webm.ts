import { type FileHandle, open } from 'node:fs/promises';
import type { EncodedFrame } from '#browsers/frame-encoder.ts';
import { closeCluster } from './close-cluster.ts';
import { type Clusters, readClusters } from './read-clusters.ts';
import { CLUSTER_MS_MAX, block, clusterHead } from './webm-cluster.ts';
import { HEAD_LENGTH, type VideoSize, sizeInHead, webmHead } from './webm-head.ts';

/** A video that grows at its end; what has been appended can be played whatever happens next. */
export interface WebmWriter {
  readonly size: VideoSize;
  /** Time of the last picture in milliseconds, or null before the first. */
  lastMs(): number | null;
  /** Length of the file, in bytes. */
  bytes(): number;
  /** Writes a picture, later than the one before. The first one since the file was opened is a key frame. */
  append(frame: EncodedFrame): Promise<void>;
  close(): Promise<void>;
}

/** The cluster that pictures are appended to. */
interface OpenCluster {
  readonly at: number;
  readonly timeMs: number;
}

/**
 * Opens a video for writing: a new one of that size, or one that stands there already, which goes on behind its last whole
 * picture and keeps its size. Nothing of it is kept in memory. Rejects when the file cannot be written, or is no video.
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

interface Begun extends Clusters {
  readonly size: VideoSize;
}

async function begin(file: FileHandle, wanted: VideoSize): Promise<Begun> {
  const head = Buffer.alloc(HEAD_LENGTH);
  const { bytesRead } = await file.read(head, 0, HEAD_LENGTH, 0);
  const found = sizeInHead(head.subarray(0, bytesRead));
  // A head that was cut off has no pictures behind it.
  if (found === null && bytesRead === HEAD_LENGTH) throw new Error('found a file that is no video of ours');
  const size = found ?? wanted;
  const clusters = found === null ? { places: [], end: HEAD_LENGTH, lastMs: null } : await readClusters(file);
  await file.truncate(clusters.end);
  await file.write(webmHead(size, null), 0, HEAD_LENGTH, 0);
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
      const isOver = cluster === null || isKey || timeMs - cluster.timeMs > CLUSTER_MS_MAX;
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
