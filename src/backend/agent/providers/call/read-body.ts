/** The text of an answer's body; null for one of more than `bytesMax` bytes, whose rest is not read. */
export async function readBody(answer: Response, bytesMax: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
