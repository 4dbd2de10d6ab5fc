import type { Email } from 'postal-mime';
import type { MailAttachment, MailLink } from '../agent/mailbox.ts';
import { linksIn } from './links-in.ts';
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

/** Bounds of what is kept. */
export interface MailBounds {
  /** Characters of the text. */
  readonly textMax: number;
  readonly linksMax: number;
}

const LINE_MAX = 500;
const ATTACHMENTS_MAX = 50;
/** Deeper than any mail that people send; a deeper one is refused. */
const PARSER_BOUNDS = { maxNestingDepth: 32, maxHeadersSize: 262_144, forceRfc822Attachments: true };

/** A mail breaks the rules of its format so far that it cannot be read. */
export class UnreadableMail extends Error {
  override readonly name = 'UnreadableMail';
}

/**
 * Reads a mail as it came over the wire. The markup's text goes before the plain alternative, because it is what people see. `sender`
 * is who the envelope names, for a mail that names nobody. Rejects with an {@link UnreadableMail}.
 */
export async function parseMail(raw: Uint8Array, sender: string, bounds: MailBounds): Promise<ParsedMail> {
  const email = await parsed(raw);
  const html = readHtml(email.html ?? '');
  const text = html.text === '' ? tidied(email.text ?? '') : html.text;
  return {
    from: oneLine(email.from?.address ?? sender),
    fromName: oneLine(email.from?.name ?? ''),
    subject: oneLine(email.subject ?? ''),
    text: text.slice(0, bounds.textMax).toWellFormed(),
    links: linksIn(text, html.links, bounds.linksMax).map(({ text: shown, url }) => ({ text: oneLine(shown), url })),
    attachments: attachmentsOf(email),
  };
}

async function parsed(raw: Uint8Array): Promise<Email> {
  // Loaded with the first mail: most services never get one.
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(raw, PARSER_BOUNDS);
  } catch (error) {
    throw new UnreadableMail('the mail cannot be read', { cause: error });
  }
}

function attachmentsOf({ attachments }: Email): MailAttachment[] {
  return attachments.slice(0, ATTACHMENTS_MAX).map(({ filename, mimeType, content }) => ({
    name: oneLine(filename ?? ''),
    contentType: oneLine(mimeType),
    size: typeof content === 'string' ? content.length : content.byteLength,
  }));
}

function oneLine(text: string): string {
  return text
    .slice(0, LINE_MAX)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
}
