import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { MailLink } from '#agent/mailbox.ts';

/**
 * Matches a URL in a text, up to the length that browsers accept, with the punctuation that follows it.
 * {@link withoutTail} removes this punctuation.
 */
const addressPattern = /https?:\/\/[^\s<>"'`{}|\\^\u3000-\u303f\uff00-\uffef]{1,8192}/giu;
const punctuation: ReadonlySet<string | undefined> = new Set('.,;:!?*');

/**
 * Returns at most `max` http and https links of a mail: first the links of its markup, then the URLs in its text. Each
 * URL occurs once.
 */
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
  for (const [written] of text.matchAll(addressPattern)) {
    const url = withoutTail(written);
    yield { text: url, url };
  }
}

function wholeUrl(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).href;
}

/** Removes trailing punctuation from a URL, and closing parentheses without an opening parenthesis in the URL. */
function withoutTail(address: string): string {
  let open = address.split('(').length - address.split(')').length;
  let end = address.length;
  for (;;) {
    const last = address[end - 1];
    if (!punctuation.has(last) && !(last === ')' && open < 0)) return address.slice(0, end);
    if (last === ')') open += 1;
    end -= 1;
  }
}

/** Invisible characters that senders insert to control previews. */
const widthlessPattern = /\u00ad|\u034f|\u200b|\u2060|\ufeff/g;

/**
 * Returns a text without invisible characters, repeated blanks, blanks at the ends of lines and repeated empty lines.
 */
export function tidied(text: string): string {
  const lines = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(widthlessPattern, '')
    .split('\n')
    .map((line) => line.replaceAll(/[^\S\n]+/g, ' ').trim());
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  return kept.join('\n').trim();
}

/** Visible content of a mail's HTML. */
export interface ReadHtml {
  /** Lines of text without markup. */
  readonly text: string;
  /** At most `linksMax` links with their URLs as written, in the order of the mail. */
  readonly links: readonly MailLink[];
}

/** Limits of reading HTML. */
export interface HtmlBounds {
  /** Maximum number of characters of the text before it is tidied; the rest is not read. */
  readonly charactersMax: number;
  readonly linksMax: number;
}

/** Elements with invisible content. */
const hidden: ReadonlySet<string> = new Set(['script', 'style', 'title', 'template', 'textarea', 'select', 'svg']);
/** Elements that start and end a line. */
const blocks = new Set(
  'address article aside blockquote br caption center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const cells: ReadonlySet<string> = new Set(['td', 'th']);
/** The only attribute of each element that is read. */
const attributes: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['img', 'alt'],
]);
/** Maximum length of an attribute; a longer value is neither a URL nor an alternative text. */
const attributeMax = 20_000;

/**
 * Reads the HTML of a mail, well formed or not, in time proportional to its length. It processes tags without building
 * a tree, so that nesting costs nothing. An unfinished tag at the end is dropped, as in browsers. Content that styles
 * hide is read too.
 */
export function readHtml(html: string, bounds: HtmlBounds): ReadHtml {
  const reader = new Reader(html, bounds);
  const tokenizer = new Tokenizer({}, reader);
  tokenizer.write(html);
  tokenizer.end();
  reader.closeLink();
  return { text: tidied(reader.pieces.join('')), links: reader.links };
}

class Reader implements TokenizerCallbacks {
  readonly pieces: string[] = [];
  readonly links: MailLink[] = [];
  readonly #html: string;
  readonly #bounds: HtmlBounds;
  #characters = 0;
  #link: { readonly url: string; readonly from: number } | null = null;
  /** Name of the open hidden element; null outside of one. */
  #hidden: string | null = null;
  #tag = '';
  #attribute = '';
  /** Value of the current attribute so far. */
  #value = '';
  #read: string | null = null;

  constructor(html: string, bounds: HtmlBounds) {
    this.#html = html;
    this.#bounds = bounds;
  }

  ontext(start: number, end: number): void {
    this.#add(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#add(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#nameAt(start, end);
    this.#read = null;
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#nameAt(start, end);
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#value.length <= attributeMax)
      this.#value += this.#html.slice(start, Math.min(end, start + attributeMax + 1));
  }

  onattribentity(codePoint: number): void {
    if (this.#value.length <= attributeMax) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    const isRead = attributes.get(this.#tag) === this.#attribute && this.#value.length <= attributeMax;
    if (isRead) this.#read ??= this.#value.trim();
  }

  onopentagend(): void {
    if (hidden.has(this.#tag)) this.#hidden ??= this.#tag;
    this.#show(this.#tag, false);
  }

  onselfclosingtag(): void {
    this.#show(this.#tag, false);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    this.#read = null;
    if (this.#hidden === name) this.#hidden = null;
    else this.#show(name, true);
  }

  closeLink(): void {
    const { url, from } = this.#link ?? { url: '', from: 0 };
    if (this.#link !== null && this.links.length < this.#bounds.linksMax)
      this.links.push({ text: tidied(this.pieces.slice(from).join('')).replaceAll('\n', ' '), url });
    this.#link = null;
  }

  #show(name: string, isEnd: boolean): void {
    if (this.#hidden !== null) return;
    if (name === 'a') {
      this.closeLink();
      if (!isEnd && this.#read !== null) this.#link = { url: this.#read, from: this.pieces.length };
    } else if (blocks.has(name)) this.#push('\n');
    else if (cells.has(name)) this.#push(' ');
    else if (name === 'img') this.#push(this.#read ?? '');
  }

  #add(text: string): void {
    if (this.#hidden === null) this.#push(text.replaceAll(/\s+/g, ' '));
  }

  #push(text: string): void {
    const room = this.#bounds.charactersMax - this.#characters;
    if (room <= 0 || text === '') return;
    this.#characters += text.length;
    this.pieces.push(text.slice(0, room));
  }

  /** Returns a tag or attribute name, truncated: all names that are read are shorter. */
  #nameAt(start: number, end: number): string {
    return this.#html.slice(start, Math.min(end, start + 20)).toLowerCase();
  }

  // Mails show no CDATA sections.
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}
