const mark = 'file:';

/** The path that a page ends with as the opaque text that clients hand back. */
export function cursorOf(path: string): string {
  return Buffer.from(`${mark}${path}`).toString('base64url');
}

/** The path that a cursor stands for, or null for text that is none of ours. */
export function pathOf(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith(mark)) return null;
  const path = text.slice(mark.length);
  return path !== '' && cursorOf(path) === cursor ? path : null;
}
