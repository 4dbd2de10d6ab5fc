import { promisify } from 'node:util';
import {
  type BrotliOptions,
  type ZlibOptions,
  brotliDecompress,
  constants,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';

type Decode = (bytes: Buffer) => Promise<Buffer>;

// What has arrived of a body that was cut off is shown, as browsers do.
const cutOff: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const cutOffBrotli: BrotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
const [unzip, unpack, unpackRaw] = [promisify(gunzip), promisify(inflate), promisify(inflateRaw)];
const unbrotli = promisify(brotliDecompress);
const decoders: Readonly<Record<string, Decode>> = {
  gzip: (bytes) => unzip(bytes, cutOff),
  'x-gzip': (bytes) => unzip(bytes, cutOff),
  // Servers send both forms under one name; the first has 8 in the low half of its first byte.
  deflate: (bytes) => (((bytes[0] ?? 0) & 0x0f) === 8 ? unpack(bytes, cutOff) : unpackRaw(bytes, cutOff)),
  br: (bytes) => unbrotli(bytes, cutOffBrotli),
};

/**
 * The bytes of a body without the codings that its `content-encoding` names, the last one first. A body with a coding that nobody asked for
 * stays as it is. Rejects with the error of zlib where the bytes are not what they are said to be.
 */
export async function decodeBody(bytes: Buffer, contentEncoding: string | undefined): Promise<Buffer> {
  if (contentEncoding === undefined || bytes.length === 0) return bytes;
  const named = contentEncoding.split(',').map((word) => decoders[word.trim().toLowerCase()]);
  let decoded = bytes;
  for (const decode of named.toReversed()) {
    if (decode === undefined) return bytes;
    decoded = await decode(decoded);
  }
  return decoded;
}
