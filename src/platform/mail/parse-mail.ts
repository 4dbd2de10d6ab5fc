import { Buffer } from 'node:buffer';
import PostalMime, { type Email } from 'postal-mime';
import type { MailAttachment, MailLink } from '#agent/mailbox.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { linksIn, readHtml, tidied } from './read-html.ts';

/** The stored content of a mail. */
export interface ParsedMail {
  readonly from: string;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly links: readonly MailLink[];
  readonly attachments: readonly MailAttachment[];
}

/** Limits of parsing and storing a mail. */
export interface MailLimits extends StructureLimits {
  /** Maximum bytes of the headers of all parts. */
  readonly headerBytes: number;
  /** Maximum nesting depth of multiparts. */
  readonly depth: number;
  /** Maximum number of stored characters of text. */
  readonly text: number;
  readonly links: number;
  /** Maximum number of attachments whose names are stored. */
  readonly attachments: number;
}

/** A received mail, and the limits for its parsing. */
export interface MailJob {
  readonly raw: Uint8Array;
  /** Envelope sender, for a mail without a From header. */
  readonly sender: string;
  readonly limits: MailLimits;
}

/** The parsed mail, or why it is refused: an exceeded limit, or an unsupported format. */
export type MailReading =
  | { readonly kind: 'read'; readonly mail: ParsedMail }
  | { readonly kind: 'excess'; readonly excess: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

const lineMax = 500;
/**
 * Factor by which the limits of characters and links before processing exceed the limits of stored text and links,
 * because unprocessed text also contains markup and blanks.
 */
const slack = 4;

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
 * Parses a mail. HTML takes precedence over plain text, because mail programs show it. Time and memory depend on the
 * mail, so this function runs in worker processes only.
 */
export async function parseMail({ raw, sender, limits }: MailJob): Promise<MailReading> {
  const excess = findExcess(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), limits);
  if (excess !== null) return { kind: 'excess', excess };
  const email = await parsed(raw, limits);
  if (email instanceof Error) return { kind: 'unreadable', reason: email.message };
  return { kind: 'read', mail: toParsedMail(email, sender, limits) };
}

/** Returns the parsed mail, or the error of the parser. The parser throws plain errors for all mails it rejects. */
async function parsed(raw: Uint8Array, { depth, headerBytes }: MailLimits): Promise<Email | Error> {
  try {
    const bounds = { maxNestingDepth: depth, maxHeadersSize: headerBytes, forceRfc822Attachments: true };
    return await PostalMime.parse(raw, bounds);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function toParsedMail(email: Email, sender: string, limits: MailLimits): ParsedMail {
  const charactersMax = limits.text * slack;
  const html = readHtml(email.html ?? '', { charactersMax, linksMax: limits.links * slack });
  const text = html.text === '' ? tidied((email.text ?? '').slice(0, charactersMax)) : html.text;
  return {
    from: oneLine(email.from?.address ?? sender),
    fromName: oneLine(email.from?.name ?? ''),
    subject: oneLine(email.subject ?? ''),
    text: text.slice(0, limits.text).toWellFormed(),
    links: linksIn(text, html.links, limits.links).map(({ text: shown, url }) => ({ text: oneLine(shown), url })),
    attachments: email.attachments.slice(0, limits.attachments).map(describeAttachment),
  };
}

function describeAttachment({ filename, mimeType, content }: Email['attachments'][number]): MailAttachment {
  return {
    name: oneLine(filename ?? ''),
    contentType: oneLine(mimeType),
    size: typeof content === 'string' ? content.length : content.byteLength,
  };
}

function oneLine(text: string): string {
  return text
    .slice(0, lineMax)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
}

/** Structural limits of a parsed mail. */
export interface StructureLimits {
  readonly lines: number;
  /** Maximum number of header fields of the mail itself. */
  readonly headers: number;
  /** Maximum number of MIME parts at any depth. */
  readonly parts: number;
}

const lf = 10;
const dash = 45;
/** Number of bytes of each line that are searched for a boundary, which has at most 70 characters (RFC 2046). */
const headerLineMax = 1_000;

/**
 * Returns which limit a mail exceeds, as "more than 100000 lines", or null. It reads the bytes once, before parsing: a
 * parser keeps objects per line, header and part, which take much more memory than the mail.
 */
function findExcess(raw: Buffer, limits: StructureLimits): string | null {
  const boundaries = new Set<string>();
  const found = { lines: 0, headers: 0, parts: 0 };
  let isHeader = true;
  for (let start = 0; start < raw.length; ) {
    const next = raw.indexOf(lf, start);
    const end = next === -1 ? raw.length : next;
    const line = raw.subarray(start, Math.min(end, start + headerLineMax));
    start = end + 1;
    found.lines += 1;
    if (isHeader) isHeader = !isBlank(line);
    if (isHeader && !isFolded(line)) found.headers += 1;
    if (line[0] === dash && line[1] === dash && boundaries.has(delimiterIn(line))) found.parts += 1;
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

/**
 * Stores a boundary that a line declares, up to `boundariesMax`. A mail with more boundaries is refused because of its
 * parts or depth.
 */
function addBoundary(line: Buffer, boundaries: Set<string>): void {
  if (line.indexOf('=') === -1) return;
  const declared = /boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(line.toString('latin1'));
  const boundary = declared?.[1] ?? declared?.[2];
  if (boundary !== undefined && boundaries.size < boundariesMax) boundaries.add(boundary.trimEnd());
}

const boundariesMax = 1_000;
