import { UNKNOWN_SIZE, idBytes } from './ebml.ts';

const CLUSTER = idBytes(0x1f43b675);
const TIME = Buffer.from([0xe7, 0x86]);
const BLOCK = 0xa3;
const TRACK_ONE = 0x81;
const IS_KEY = 0x80;

/** Length of the head of a cluster with its time, in bytes. */
export const CLUSTER_HEAD_LENGTH = CLUSTER.length + UNKNOWN_SIZE.length + TIME.length + 6;

/** Place of a cluster's size behind its beginning, in bytes. */
export const CLUSTER_SIZE_AT = CLUSTER.length;

/** What a cluster's size counts of its head, in bytes. */
export const CLUSTER_TIME_LENGTH = TIME.length + 6;

/** Length of what stands before a picture's bytes. */
export const BLOCK_HEAD_LENGTH = 9;

/** A picture tells its time as milliseconds behind that of its cluster, in 16 bits with a sign. */
export const CLUSTER_MS_MAX = 32_767;

/** The beginning of a cluster whose length is not known yet. */
export function clusterHead(timeMs: number): Buffer {
  const time = Buffer.alloc(6);
  time.writeUIntBE(timeMs, 0, 6);
  return Buffer.concat([CLUSTER, UNKNOWN_SIZE, TIME, time]);
}

/** One picture of less than 268 MB, `offsetMs` behind the time of its cluster. */
export function block(data: Uint8Array, { offsetMs, isKey }: { offsetMs: number; isKey: boolean }): Buffer {
  const head = Buffer.alloc(BLOCK_HEAD_LENGTH);
  head.writeUInt8(BLOCK, 0);
  head.writeUInt32BE(0x1000_0000 + data.length + 4, 1);
  head.writeUInt8(TRACK_ONE, 5);
  head.writeInt16BE(offsetMs, 6);
  head.writeUInt8(isKey ? IS_KEY : 0, 8);
  return Buffer.concat([head, data]);
}

/** The head of a cluster: its time, and the length of its pictures, null as long as it is open. Null for bytes that are none. */
export function readClusterHead(bytes: Buffer): { timeMs: number; contentLength: number | null } | null {
  if (bytes.length < CLUSTER_HEAD_LENGTH || !bytes.subarray(0, CLUSTER.length).equals(CLUSTER)) return null;
  const size = bytes.subarray(CLUSTER_SIZE_AT, CLUSTER_SIZE_AT + UNKNOWN_SIZE.length);
  const timeMs = bytes.readUIntBE(CLUSTER_HEAD_LENGTH - 6, 6);
  return { timeMs, contentLength: size.equals(UNKNOWN_SIZE) ? null : size.readUIntBE(2, 6) - CLUSTER_TIME_LENGTH };
}

/** The head of a picture: its time behind its cluster's and the number of its bytes. Null for bytes that are none. */
export function readBlockHead(bytes: Buffer): { offsetMs: number; length: number } | null {
  if (bytes.length < BLOCK_HEAD_LENGTH || bytes.readUInt8(0) !== BLOCK) return null;
  return { offsetMs: bytes.readInt16BE(6), length: bytes.readUInt32BE(1) - 0x1000_0000 - 4 };
}
