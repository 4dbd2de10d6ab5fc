import { type JsonBounds, JsonCounter } from '#lib/json-bounds.ts';

/** How large an answer may be: its bytes, and what it is made of if it is JSON. */
export interface AnswerBounds extends JsonBounds {
  readonly bytes: number;
}

/** The text of an answer's body; null for one beyond its bounds, whose rest is not read. */
export async function readBody(answer: Response, bounds: AnswerBounds): Promise<string | null> {
  const counter = new JsonCounter(bounds);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > bounds.bytes || !counter.isWithin(piece)) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
