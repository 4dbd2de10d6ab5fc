import type { Buffer } from 'node:buffer';

/** The largest structure of a mail that is parsed. */
export interface StructureLimits {
  readonly lines: number;
  /** Header fields of the mail itself. */
  readonly headers: number;
  /** MIME parts, at any depth. */
  readonly parts: number;
}

const LF = 10;
const DASH = 45;
/** A boundary has at most 70 characters (RFC 2046); a line that is longer by far delimits nothing and declares none. */
const LINE_MAX = 1_000;

/**
 * Returns what a mail has too much of, as "more than 100000 lines", or null. One pass over the bytes: a parser keeps objects per line,
 * header and part, so that many of them take much more memory than the mail.
 */
export function excessOf(raw: Buffer, limits: StructureLimits): string | null {
  const boundaries = new Set<string>();
  const found = { lines: 0, headers: 0, parts: 0 };
  let isHeader = true;
  for (let start = 0; start < raw.length; ) {
    const next = raw.indexOf(LF, start);
    const end = next === -1 ? raw.length : next;
    const line = raw.subarray(start, Math.min(end, start + LINE_MAX));
    start = end + 1;
    found.lines += 1;
    if (isHeader) isHeader = !isBlank(line);
    if (isHeader && !isFolded(line)) found.headers += 1;
    if (line[0] === DASH && line[1] === DASH && boundaries.has(delimiterIn(line))) found.parts += 1;
    addBoundary(line, boundaries);
    const excess = overLimit(found, limits);
    if (excess !== null) return excess;
  }
  return null;
}

function overLimit(found: StructureLimits, limits: StructureLimits): string | null {
  if (found.lines > limits.lines) return `more than ${limits.lines} lines`;
  if (found.headers > limits.headers) return `more than ${limits.headers} headers`;
  return found.parts > limits.parts ? `more than ${limits.parts} parts` : null;
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 13);
}

function isFolded([first]: Buffer): boolean {
  return first === 0x20 || first === 0x09;
}

function delimiterIn(line: Buffer): string {
  return line.toString('latin1', 2).trimEnd();
}

/** Notes a boundary that a line declares; a mail with more of them than parts is refused for its parts or its depth. */
function addBoundary(line: Buffer, boundaries: Set<string>): void {
  if (line.indexOf('=') === -1) return;
  const declared = /boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(line.toString('latin1'));
  const boundary = declared?.[1] ?? declared?.[2];
  if (boundary !== undefined && boundaries.size < BOUNDARIES_MAX) boundaries.add(boundary.trimEnd());
}

const BOUNDARIES_MAX = 1_000;
