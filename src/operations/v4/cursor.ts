import type { RunPlace } from '#store/queries/runs.ts';

const shape = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** A place in the list of runs as the opaque text that clients hand back. */
export function cursorOf({ createdAt, id }: RunPlace): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** The place that a cursor stands for, or null for text that is none of ours. */
export function placeOf(cursor: string): RunPlace | null {
  const match = shape.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (match === null) return null;
  const [, createdAt = '', id = ''] = match;
  const place = { createdAt: Number(createdAt), id };
  return cursorOf(place) === cursor ? place : null;
}
