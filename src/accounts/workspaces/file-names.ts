const bytesMax = 255;
const folderBytesMax = 512;
const endingMax = 16;

/**
 * Characters that a file name must not contain: control characters, format characters such as those that change the
 * text direction (except zero-width joiners), surrogates, private-use characters, noncharacters, path separators, and
 * the characters `:*?"<>|`.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}/\\:*?"<>|]|(?![\u200c\u200d])\p{Cf}/gu;

/**
 * Returns the stored form of a file name: one path segment of at most 255 bytes, without unsafe characters, and without
 * dots or spaces at its end. Returns null for a name of only dots and white space, such as `..`.
 */
export function storedName(name: string): string | null {
  const safe = name.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll(unsafe, '_').trim();
  return trimEnd(fit(trimEnd(safe))) || null;
}

/**
 * Returns the stored form of a folder path, which ends with a slash; an empty string for the root. Returns null if a
 * segment has no stored form, such as `..`. Also returns null for more than 512 bytes, because later requests could not
 * name such a path.
 */
export function storedFolder(folder: string): string | null {
  const parts = folder.split('/').filter((part) => part !== '');
  const names = parts.map(storedName);
  if (names.some((name) => name === null)) return null;
  const path = names.map((name) => `${name}/`).join('');
  return Buffer.byteLength(path) > folderBytesMax ? null : path;
}

/** Returns the stored form of a path, or null for a path that no file can have. */
export function storedPath(path: string): string | null {
  const normal = path.normalize('NFC');
  return normal.split('/').every((part) => part !== '' && storedName(part) === part) ? normal : null;
}

/** Removes trailing dots and spaces: some systems ignore them, and `..` is a folder on all systems. */
function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** Shortens a name to the maximum number of bytes of file systems; an extension of at most 15 characters stays. */
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

/**
 * Maximum number of bytes of a shortened name without its extension. A number and the extension follow, and the
 * complete name must stay within the limit of file systems.
 */
const stemMax = 100;

/**
 * Returns a name with a number before its extension: `price list (1).pdf`. A long name is shortened to a valid length.
 */
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

/** Content types by extension, for the files that agents write and pages download most. */
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

/**
 * Returns the content type for a path by its extension, for files that were stored without one;
 * `application/octet-stream` for any other extension.
 */
export function guessContentType(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(types, ending) ? types[ending] : undefined) ?? 'application/octet-stream';
}

const mark = 'file:';

/** Encodes the last path of a page as an opaque cursor. */
export function encodeCursor(path: string): string {
  return Buffer.from(`${mark}${path}`).toString('base64url');
}

/** Returns the path of a cursor, or null for an invalid cursor. */
export function decodeCursor(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith(mark)) return null;
  const path = text.slice(mark.length);
  return path !== '' && encodeCursor(path) === cursor ? path : null;
}
