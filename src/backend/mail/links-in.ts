import type { MailLink } from '../agent/mailbox.ts';
import { withoutEnd } from '#domain/without-end.ts';

/** An address that stands in a text; punctuation at its end belongs to the sentence. */
const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^\u3000-\u303f\uff00-\uffef]+/giu;

/** The links of a mail: those of its markup, then addresses that its text writes out; each address once, in order, only http and https. */
export function linksIn(text: string, marked: readonly MailLink[], max: number): MailLink[] {
  const written = Array.from(text.matchAll(ADDRESS), ([found]): MailLink => {
    const url = withoutTail(found);
    return { text: url, url };
  });
  const byUrl = new Map<string, MailLink>();
  for (const { text: shown, url } of [...marked, ...written]) {
    const whole = wholeUrl(url);
    if (whole !== null && !byUrl.has(whole)) byUrl.set(whole, { text: shown, url: whole });
    if (byUrl.size >= max) break;
  }
  return [...byUrl.values()];
}

function wholeUrl(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).href;
}

/** A closing bracket at the end belongs to the address only if it was opened there. */
function withoutTail(found: string): string {
  const shorter = withoutEnd(found, /[.,;:!?*]/);
  const [opened, closed] = [shorter.split('(').length, shorter.split(')').length];
  return closed > opened && shorter.endsWith(')') ? withoutTail(shorter.slice(0, -1)) : shorter;
}
