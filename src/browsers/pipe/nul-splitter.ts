/** Where a text is delivered, and what is told of one that was too large to be kept. */
export interface SplitterListener {
  /** The bytes of one complete text: in memory of their own, or valid until this returns, because more of the stream lies around them. */
  text(bytes: Buffer, isOwn: boolean): void;
  /** The first characters of a text that was larger than allowed; the rest of it was thrown away. */
  tooLarge(start: string): void;
}

/** What is kept of a text that is too large: enough to see what it belongs to. */
const START_BYTES = 256;

/**
 * Cuts a byte stream into the NUL-terminated texts that `--remote-debugging-pipe` speaks. The returned function takes
 * the stream's chunks in order, whatever their borders. A text of more than `bytesMax` is not kept, so that no peer can
 * use up the memory; the texts after it are delivered as ever.
 */
export function createNulSplitter(listener: SplitterListener, bytesMax: number): (chunk: Buffer) => void {
  let kept: Buffer[] = [];
  let bytes = 0;
  const keep = (part: Buffer): void => {
    const wasTooLarge = bytes > bytesMax;
    bytes += part.length;
    if (wasTooLarge) return;
    kept.push(part);
    // Joining copies, so that the chunks that were kept so far are let go.
    if (bytes > bytesMax) kept = [Buffer.from(Buffer.concat(kept, Math.min(bytes, START_BYTES)))];
  };
  const deliver = (): void => {
    const text = Buffer.concat(kept);
    const isTooLarge = bytes > bytesMax;
    kept = [];
    bytes = 0;
    if (isTooLarge) listener.tooLarge(text.toString('utf8'));
    else listener.text(text, true);
  };
  const end = (part: Buffer): void => {
    // Most texts lie in one chunk, and are not copied.
    if (bytes === 0 && part.length <= bytesMax) return listener.text(part, false);
    keep(part);
    return deliver();
  };
  return (chunk) => {
    let start = 0;
    for (let nul = chunk.indexOf(0); nul !== -1; nul = chunk.indexOf(0, start)) {
      const part = chunk.subarray(start, nul);
      start = nul + 1;
      end(part);
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
}
