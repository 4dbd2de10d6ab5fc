import type { Transform } from 'node:stream';
import {
  type BrotliOptions,
  type ZlibOptions,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib';
import { BoundedBytes, suiteLimit } from '../core/bounds.ts';
import type { AnswerLimit } from '../core/transport.ts';

type CreateDecoder = (bytes: Buffer) => Transform;

// What has arrived of a body that was cut off is shown, as browsers do.
const cutOff: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const cutOffBrotli: BrotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const decoders: Readonly<Record<string, CreateDecoder>> = {
  gzip: () => createGunzip(cutOff),
  'x-gzip': () => createGunzip(cutOff),
  // Servers send both forms under one name; the first has 8 in the low half of its first byte.
  deflate: (bytes) => (((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate(cutOff) : createInflateRaw(cutOff)),
  br: () => createBrotliDecompress(cutOffBrotli),
};

/** A body without its codings, or its beginning where it exceeds a limit. */
export interface Decoded {
  bytes: Buffer;
  exceeds?: AnswerLimit;
}

/**
 * Removes the codings that a `content-encoding` names, the last one first. A body with an unknown coding stays as it is. Every step ends at the
 * limit of bodies. Rejects with the error of zlib where the bytes are not what they are said to be.
 */
export async function decodeBody(bytes: Buffer, contentEncoding: string | undefined): Promise<Decoded> {
  if (contentEncoding === undefined || bytes.length === 0) return { bytes };
  const names = contentEncoding.split(',').map((word) => word.trim().toLowerCase());
  if (names.length > suiteLimit('answerCodings')) return { bytes, exceeds: 'answerCodings' };
  let decoded: Decoded = { bytes };
  for (const name of names.toReversed()) {
    const create = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (create === undefined) return { bytes };
    decoded = await decodeWithin(create(decoded.bytes), decoded.bytes);
    if (decoded.exceeds !== undefined) return decoded;
  }
  return decoded;
}

function decodeWithin(decoder: Transform, bytes: Buffer): Promise<Decoded> {
  const { promise, resolve, reject } = Promise.withResolvers<Decoded>();
  const collected = new BoundedBytes(suiteLimit('answerBytes'));
  decoder.on('data', (part: Buffer) => {
    if (collected.add(part)) return;
    resolve({ bytes: collected.bytes(), exceeds: 'answerBytes' });
    decoder.destroy();
  });
  decoder.once('end', () => resolve({ bytes: collected.bytes() }));
  decoder.once('error', reject);
  decoder.end(bytes);
  return promise;
}
