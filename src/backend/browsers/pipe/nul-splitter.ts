/** Where a text is delivered, and what is told of one that was too large to be kept. */
export interface SplitterListener {
  /** One complete text. */
  text(text: string): void;
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
    // Joining as bytes before decoding: a character of several bytes may lie across two chunks.
    const text = Buffer.concat(kept).toString('utf8');
    const isTooLarge = bytes > bytesMax;
    kept = [];
    bytes = 0;
    if (isTooLarge) listener.tooLarge(text);
    else listener.text(text);
  };
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      deliver();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
}
