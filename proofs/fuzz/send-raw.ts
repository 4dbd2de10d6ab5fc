import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { RawRequest } from './fuzzed-request.ts';

/** Responses on a connection. */
export interface RawAnswers {
  /** Heads of the responses in order, up to a protocol change. */
  readonly heads: readonly { readonly status: number; readonly text: string }[];
  /** Whether the service closed the connection in time. */
  readonly isEnded: boolean;
  /** Whether the connection was closed while bytes were being written, so that unread responses are lost. */
  readonly isCut: boolean;
}

/** Deadline for the service to close the connection, in milliseconds. */
const deadlineMs = 120_000;

/** Writes bytes to a new connection, closes the writing side, and reads until the service closes the other one. */
export async function sendRaw(address: string, { pieces }: RawRequest): Promise<RawAnswers> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  let isCut = false;
  socket.on('error', () => {
    isCut = true;
    socket.destroy();
  });
  socket.on('end', () => socket.end());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let isEnded = true;
  socket.setTimeout(deadlineMs, () => {
    isEnded = false;
    socket.destroy();
  });
  for (const piece of pieces) {
    if (socket.writable) socket.write(Buffer.from(piece, 'latin1'));
    await setImmediate();
  }
  socket.end();
  await closed;
  return { heads: getHeads(Buffer.concat(chunks).toString('latin1')), isEnded, isCut };
}

function getHeads(text: string): RawAnswers['heads'] {
  const heads: { status: number; text: string }[] = [];
  // Bodies are JSON or HTML of the service, which contain no such line.
  for (const [whole, status] of text.matchAll(/HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n/g)) {
    heads.push({ status: Number(status), text: whole });
    if (status === '101') break;
  }
  return heads;
}
