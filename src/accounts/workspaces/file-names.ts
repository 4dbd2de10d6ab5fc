const bytesMax = 255;
const folderBytesMax = 512;
const endingMax = 16;

/** What cannot stand in a name: controls, marks that turn text around, separators of any system, and what shells expand. */
const unsafe = /[\p{Cc}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}/\\:*?"<>|]|(?![\u200c\u200d])\p{Cf}/gu;

/**
 * The name under which a file is kept: one path part of at most 255 bytes that is safe on every system and says what the
 * caller's name says. Null when nothing of it is left, as for `..`.
 */
export function storedName(name: string): string | null {
  const safe = name.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll(unsafe, '_').trim();
  return trimEnd(fit(trimEnd(safe))) || null;
}

/**
 * A folder as the caller names it, ending in a slash; empty for the root. Null for one with the parts `.` or `..`, and for one
 * of more than 512 bytes: a path has to fit into the requests that name it.
 */
export function storedFolder(folder: string): string | null {
  const parts = folder.split('/').filter((part) => part !== '');
  const names = parts.map(storedName);
  if (names.some((name) => name === null)) return null;
  const path = names.map((name) => `${name}/`).join('');
  return Buffer.byteLength(path) > folderBytesMax ? null : path;
}

/** The path in the form in which files are kept, or null when no file can have it. */
export function storedPath(path: string): string | null {
  const normal = path.normalize('NFC');
  return normal.split('/').every((part) => part !== '' && storedName(part) === part) ? normal : null;
}

/** Names that end in dots or spaces are one name on some systems, and `..` is a folder on all. */
function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** Shortens a name to the bytes that file systems take; its ending stays. */
function fit(name: string): string {
  if (Buffer.byteLength(name) <= bytesMax) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= endingMax ? name.slice(dot) : '';
  let left = bytesMax - Buffer.byteLength(ending);
  let stem = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    stem += character;
  }
  return `${stem}${ending}`;
}

/** Leaves room for a number within the bytes that names have. */
const stemMax = 100;

/** A name with a number before its ending: `price list (1).pdf`. A long one is shortened, so that it stays a name that files have. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const cut = dot > 0 && name.length - dot <= endingMax ? dot : name.length;
  const stem = Buffer.byteLength(name) > stemMax ? shortened(name.slice(0, cut)) : name.slice(0, cut);
  return `${stem.trimEnd()} (${number})${name.slice(cut)}`;
}

function shortened(stem: string): string {
  let [kept, bytes] = ['', 0];
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > stemMax) break;
    kept += character;
  }
  return kept;
}

/** Types of files that agents write and pages download most; by the ending of the name. */
const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** The content type of a file that came without one. */
export function contentTypeOf(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(types, ending) ? types[ending] : undefined) ?? 'application/octet-stream';
}

const mark = 'file:';

/** The path that a page ends with as the opaque text that clients hand back. */
export function cursorOf(path: string): string {
  return Buffer.from(`${mark}${path}`).toString('base64url');
}

/** Returns the path of a cursor, or null for an invalid cursor. */
export function pathOf(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith(mark)) return null;
  const path = text.slice(mark.length);
  return path !== '' && cursorOf(path) === cursor ? path : null;
}
