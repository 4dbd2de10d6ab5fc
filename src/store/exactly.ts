/** Bytes came to an end too early or too late; `found` is how many there were, as far as they were counted. */
export class WrongLength extends Error {
  readonly found: string;

  constructor(found: string, options?: ErrorOptions) {
    super(`found ${found} bytes`, options);
    this.found = found;
  }
}

/**
 * Hands on exactly `size` bytes, or throws {@link WrongLength}. The last piece is held back until it is known to be the last:
 * a store never gets all bytes of what is going to be refused. A source that breaks off counts as one that ended too early.
 */
export async function* exactly(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  let held: Uint8Array | undefined;
  for await (const piece of unbroken(source, () => count)) {
    // An empty piece would push the last one out before its time.
    if (piece.length === 0) continue;
    count += piece.length;
    if (count > size) throw new WrongLength(`more than ${size}`);
    if (held !== undefined) yield held;
    held = piece;
  }
  if (count < size) throw new WrongLength(String(count));
  if (held !== undefined) yield held;
}

async function* unbroken(source: AsyncIterable<Uint8Array>, count: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    throw new WrongLength(`only ${count()}, then the connection broke`, { cause: error });
  }
}
