import { createReadStream } from 'node:fs';

/** The bytes of a file, which is opened when they are read and not before: nobody has to close what nobody wants. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}
