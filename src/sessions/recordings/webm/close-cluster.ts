import type { FileHandle } from 'node:fs/promises';
import { wideSize } from './ebml.ts';
import { CLUSTER_HEAD_LENGTH, CLUSTER_SIZE_AT, CLUSTER_TIME_LENGTH } from './webm-cluster.ts';

/** Writes down how long a cluster is that begins at `at` and ends at `end`, both in bytes from the file's beginning. */
export async function closeCluster(file: FileHandle, { at }: { readonly at: number }, end: number): Promise<void> {
  const size = wideSize(end - at - CLUSTER_HEAD_LENGTH + CLUSTER_TIME_LENGTH);
  await file.write(size, 0, size.length, at + CLUSTER_SIZE_AT);
}
