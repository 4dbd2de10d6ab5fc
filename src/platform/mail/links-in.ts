import type { MailLink } from '#agent/mailbox.ts';

/** An address that stands in a text, up to the length that browsers take; punctuation at its end belongs to the sentence. */
const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^\u3000-\u303f\uff00-\uffef]{1,8192}/giu;
const PUNCTUATION: ReadonlySet<string | undefined> = new Set('.,;:!?*');

/** Returns the links of a mail: those of its markup, then addresses that its text writes out; each once, in order, only http and https. */
export function linksIn(text: string, marked: readonly MailLink[], max: number): MailLink[] {
  const byUrl = new Map<string, MailLink>();
  for (const { text: shown, url } of found(text, marked)) {
    if (byUrl.size >= max) break;
    const whole = wholeUrl(url);
    if (whole !== null && !byUrl.has(whole)) byUrl.set(whole, { text: shown, url: whole });
  }
  return [...byUrl.values()];
}

function* found(text: string, marked: readonly MailLink[]): Generator<MailLink> {
  yield* marked;
  for (const [written] of text.matchAll(ADDRESS)) {
    const url = withoutTail(written);
    yield { text: url, url };
  }
}

function wholeUrl(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).href;
}

/** A closing bracket at the end belongs to the address only if it was opened there. */
function withoutTail(address: string): string {
  let open = address.split('(').length - address.split(')').length;
  let end = address.length;
  for (;;) {
    const last = address[end - 1];
    if (!PUNCTUATION.has(last) && !(last === ')' && open < 0)) return address.slice(0, end);
    if (last === ')') open += 1;
    end -= 1;
  }
}
