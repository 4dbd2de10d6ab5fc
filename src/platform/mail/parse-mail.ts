import { Buffer } from 'node:buffer';
import PostalMime, { type Email } from 'postal-mime';
import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import type { MailAttachment, MailLink } from '#agent/mailbox.ts';
import { linksIn } from './links-in.ts';
import { type StructureLimits, excessOf } from './mail-structure.ts';
import { readHtml } from './read-html.ts';
import { tidied } from './tidied.ts';

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
    lines: limitOf(rules, 'mailLines'),
    headers: limitOf(rules, 'mailHeaders'),
    headerBytes: limitOf(rules, 'mailHeaderBytes'),
    parts: limitOf(rules, 'mailParts'),
    depth: limitOf(rules, 'mailDepth'),
    text: limitOf(rules, 'mailText'),
    links: limitOf(rules, 'mailLinks'),
    attachments: limitOf(rules, 'mailAttachments'),
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
