/** A browser never sends more in one message: the largest are full-page screenshots of some 100 MB. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Cuts a byte stream into the NUL-terminated texts that `--remote-debugging-pipe` speaks. The returned function takes
 * the stream's chunks in order, whatever their borders, and calls `deliver` once for each complete text.
 * Throws a RangeError when one text grows beyond 256 MiB, so that a broken peer cannot use up the memory.
 */
export function createNulSplitter(deliver: (text: string) => void): (chunk: Buffer) => void {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const tail = chunk.subarray(start, end);
      // Joining as bytes before decoding: a character of several bytes may lie across two chunks.
      const text = kept.length === 0 ? tail.toString('utf8') : Buffer.concat([...kept, tail]).toString('utf8');
      kept = [];
      keptBytes = 0;
      start = end + 1;
      deliver(text);
    }
    if (start === chunk.length) return;
    kept.push(chunk.subarray(start));
    keptBytes += chunk.length - start;
    if (keptBytes > MESSAGE_BYTES_MAX)
      throw new RangeError(`A DevTools message is larger than ${MESSAGE_BYTES_MAX} bytes.`);
  };
}
