import { Buffer } from 'node:buffer';
import PostalMime, { type Email } from 'postal-mime';
import type { MailAttachment, MailLink } from '#agent/mailbox.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { linksIn, readHtml, tidied } from './read-html.ts';

/** What is kept of a mail. */
export interface ParsedMail {
  readonly from: string;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly links: readonly MailLink[];
  readonly attachments: readonly MailAttachment[];
}

/** Limits of what is parsed and kept of a mail. */
export interface MailLimits extends StructureLimits {
  /** Bytes of the headers of all parts. */
  readonly headerBytes: number;
  /** Multiparts within each other. */
  readonly depth: number;
  /** Characters of the text that is kept. */
  readonly text: number;
  readonly links: number;
  /** Attachments whose names are kept. */
  readonly attachments: number;
}

/** A mail as it came over the network. */
export interface MailJob {
  readonly raw: Uint8Array;
  /** The sender that the envelope names, for a mail without one. */
  readonly sender: string;
  readonly limits: MailLimits;
}

/** What is kept of a mail, or why it is refused: the limit that it exceeds, or a format that cannot be read. */
export type MailReading =
  | { readonly kind: 'read'; readonly mail: ParsedMail }
  | { readonly kind: 'excess'; readonly excess: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

const LINE_MAX = 500;
/** Markup and blanks that are removed may take so much more room than the text that is kept. */
const SLACK = 4;

/** Reads the limits from spec/rules/limits.yaml. */
export function mailLimits(rules: RuleBook): MailLimits {
  return {
    lines: getLimit(rules, 'mailLines'),
    headers: getLimit(rules, 'mailHeaders'),
    headerBytes: getLimit(rules, 'mailHeaderBytes'),
    parts: getLimit(rules, 'mailParts'),
    depth: getLimit(rules, 'mailDepth'),
    text: getLimit(rules, 'mailText'),
    links: getLimit(rules, 'mailLinks'),
    attachments: getLimit(rules, 'mailAttachments'),
  };
}

/**
 * Parses a mail. The markup's text goes before the plain alternative, because it is what people see. Takes time and memory as the mail
 * makes it: for worker processes only.
 */
export async function parseMail({ raw, sender, limits }: MailJob): Promise<MailReading> {
  const excess = excessOf(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), limits);
  if (excess !== null) return { kind: 'excess', excess };
  const email = await parsed(raw, limits);
  if (email instanceof Error) return { kind: 'unreadable', reason: email.message };
  return { kind: 'read', mail: kept(email, sender, limits) };
}

/** The parser throws plain errors for everything that it does not take, its bounds included. */
async function parsed(raw: Uint8Array, { depth, headerBytes }: MailLimits): Promise<Email | Error> {
  try {
    const bounds = { maxNestingDepth: depth, maxHeadersSize: headerBytes, forceRfc822Attachments: true };
    return await PostalMime.parse(raw, bounds);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function kept(email: Email, sender: string, limits: MailLimits): ParsedMail {
  const charactersMax = limits.text * SLACK;
  const html = readHtml(email.html ?? '', { charactersMax, linksMax: limits.links * SLACK });
  const text = html.text === '' ? tidied((email.text ?? '').slice(0, charactersMax)) : html.text;
  return {
    from: oneLine(email.from?.address ?? sender),
    fromName: oneLine(email.from?.name ?? ''),
    subject: oneLine(email.subject ?? ''),
    text: text.slice(0, limits.text).toWellFormed(),
    links: linksIn(text, html.links, limits.links).map(({ text: shown, url }) => ({ text: oneLine(shown), url })),
    attachments: email.attachments.slice(0, limits.attachments).map(attachmentOf),
  };
}

function attachmentOf({ filename, mimeType, content }: Email['attachments'][number]): MailAttachment {
  return {
    name: oneLine(filename ?? ''),
    contentType: oneLine(mimeType),
    size: typeof content === 'string' ? content.length : content.byteLength,
  };
}

function oneLine(text: string): string {
  return text
    .slice(0, LINE_MAX)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
}

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
const HEADER_LINE_MAX = 1_000;

/**
 * Returns what a mail has too much of, as "more than 100000 lines", or null. One pass over the bytes: a parser keeps objects per line,
 * header and part, so that many of them take much more memory than the mail.
 */
function excessOf(raw: Buffer, limits: StructureLimits): string | null {
  const boundaries = new Set<string>();
  const found = { lines: 0, headers: 0, parts: 0 };
  let isHeader = true;
  for (let start = 0; start < raw.length; ) {
    const next = raw.indexOf(LF, start);
    const end = next === -1 ? raw.length : next;
    const line = raw.subarray(start, Math.min(end, start + HEADER_LINE_MAX));
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
