import type { MailLink } from '../agent/mailbox.ts';
import { decodeEntities } from './html-entities.ts';
import { tidied } from './tidied.ts';

/** What a mail's HTML shows. */
export interface ReadHtml {
  /** Lines of text, without markup. */
  readonly text: string;
  /** Every link with an address, in the order of the mail; the addresses are as written. */
  readonly links: readonly MailLink[];
}

/** Elements whose inside nobody sees. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'title', 'template', 'textarea', 'select', 'svg']);
/** Elements before and after which a line ends. */
const BLOCKS = new Set(
  'address article aside blockquote br caption center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const CELLS: ReadonlySet<string> = new Set(['td', 'th']);

/**
 * Reads HTML as mails have it, well formed or not. One pass, so that the time grows with the length alone: what is open at the end is
 * dropped, as browsers do. Hidden parts are read too: who can see them is a matter of styles.
 */
export function readHtml(html: string): ReadHtml {
  const links: MailLink[] = [];
  const pieces: string[] = [];
  let open: { readonly url: string; readonly from: number } | null = null;
  const close = (): void => {
    if (open !== null)
      links.push({ text: tidied(pieces.slice(open.from).join('')).replaceAll('\n', ' '), url: open.url });
    open = null;
  };
  for (const token of tokensOf(html)) {
    if (token.kind === 'text') pieces.push(decodeEntities(token.text).replaceAll(/\s+/g, ' '));
    else if (token.name === 'a') {
      close();
      const url = token.isEnd ? null : attribute(token.inside, 'href');
      if (url !== null) open = { url, from: pieces.length };
    } else pieces.push(shownFor(token));
  }
  close();
  return { text: tidied(pieces.join('')), links };
}

function shownFor({ name, inside }: Tag): string {
  if (BLOCKS.has(name)) return '\n';
  if (CELLS.has(name)) return ' ';
  return name === 'img' ? (attribute(inside, 'alt') ?? '') : '';
}

interface Tag {
  readonly kind: 'tag';
  readonly name: string;
  readonly isEnd: boolean;
  /** What stands between its name and its end. */
  readonly inside: string;
}

type Token = Tag | { readonly kind: 'text'; readonly text: string };

function* tokensOf(html: string): Generator<Token> {
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    if (next !== at) yield { kind: 'text', text: html.slice(at, next === -1 ? undefined : next) };
    if (next === -1) return;
    const tag = tagAt(html, next);
    if (tag === null) return;
    if (tag.token !== null) yield tag.token;
    at = tag.end;
  }
}

interface Found {
  readonly token: Token | null;
  /** Where reading goes on. */
  readonly end: number;
}

/** Null where the markup that begins there never ends. */
function tagAt(html: string, start: number): Found | null {
  if (html.startsWith('<!--', start)) return upTo(html, '-->', start + 4);
  if (html[start + 1] === '!' || html[start + 1] === '?') return upTo(html, '>', start + 2);
  const nameAt = /<(\/?)([a-z][a-z\d:-]{0,30})/iy;
  nameAt.lastIndex = start;
  const named = nameAt.exec(html);
  if (named === null) return { token: { kind: 'text', text: '<' }, end: start + 1 };
  const [whole, slash, given = ''] = named;
  const end = endOfTag(html, start + whole.length);
  if (end === -1) return null;
  const name = given.toLowerCase();
  const isEnd = slash === '/';
  const inside = html.slice(start + whole.length, end);
  if (UNSEEN.has(name) && !isEnd) return afterElement(html, name, end + 1);
  return { token: { kind: 'tag', name, isEnd, inside }, end: end + 1 };
}

function upTo(html: string, mark: string, from: number): Found | null {
  const end = html.indexOf(mark, from);
  return end === -1 ? null : { token: null, end: end + mark.length };
}

function afterElement(html: string, name: string, from: number): Found | null {
  // oxlint-disable-next-line svc/no-dynamic-pattern -- the names of elements are our own
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html) === null ? null : upTo(html, '>', closing.lastIndex);
}

/** The place of the `>` that ends a tag, or -1: one in a quoted value is none. */
function endOfTag(html: string, from: number): number {
  const mark = /[>"']/g;
  mark.lastIndex = from;
  for (let found = mark.exec(html); found !== null; found = mark.exec(html)) {
    const [character] = found;
    if (character === '>') return found.index;
    // An apostrophe elsewhere quotes nothing.
    if (
      !html
        .slice(Math.max(from, found.index - 10), found.index)
        .trimEnd()
        .endsWith('=')
    )
      continue;
    const closed = html.indexOf(character, found.index + 1);
    if (closed === -1) return -1;
    mark.lastIndex = closed + 1;
  }
  return -1;
}

/** An attribute longer than any address would only cost time. */
const INSIDE_MAX = 20_000;

function attribute(inside: string, name: string): string | null {
  // oxlint-disable-next-line svc/no-dynamic-pattern -- the names of attributes are our own, and the text is short
  const pattern = new RegExp(`(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
  const found = pattern.exec(inside.slice(0, INSIDE_MAX));
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? null : decodeEntities(value).trim();
}
