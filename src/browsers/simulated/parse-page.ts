import type { PageLink, PageTable } from '../tab/tab.ts';

/** Contents of a simulated page. */
export interface SimulatedPage {
  readonly title: string;
  readonly headings: readonly string[];
  readonly links: readonly PageLink[];
  readonly tables: readonly PageTable[];
  /** Names of buttons, in document order. */
  readonly buttons: readonly string[];
  /** Texts of all labels, followed by placeholder, name and `aria-label` of each field. */
  readonly fields: readonly string[];
  readonly text: string;
}

/**
 * Parses the simple HTML of simulated pages and of `data:` pages in tests. The HTML must be well-formed, without an
 * element inside another of the same kind. Not suitable for pages of the internet. `base` resolves relative links.
 * Never throws.
 */
export function parsePage(html: string, base: string): SimulatedPage {
  const body = without(html, /^(?:script|style|title)$/);
  return {
    title: getText(elements(html, /^title$/)[0]?.content ?? ''),
    headings: elements(html, /^h[1-6]$/).map(({ content }) => getText(content)),
    links: elements(html, /^a$/).flatMap(({ attributes, content }) => {
      const url = URL.parse(attribute(attributes, 'href') ?? '', base);
      return url === null ? [] : [{ text: getText(content), url: url.href }];
    }),
    tables: elements(html, /^table$/).map(({ content }) => tableFrom(content)),
    buttons: elements(html, /^button$/).map(({ content }) => getText(content)),
    fields: getFields(html),
    text: getText(body),
  };
}

interface Element {
  readonly attributes: string;
  readonly content: string;
  /** Index of the element's first character in the HTML; `to` is the index after its last character. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the elements whose tag names match, in document order. Skips elements without a closing tag, and elements
 * inside another returned element. Takes time linear in the length of the page.
 */
function elements(html: string, name: RegExp): Element[] {
  const opening = /<([a-z][a-z0-9]*)\b([^<>]*)>/gi;
  // Only ASCII letters become lower case, because other letters can change in length.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const unclosed = new Set<string>();
  const found: Element[] = [];
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    const [whole, tag = '', attributes = ''] = match;
    const kind = tag.toLowerCase();
    const closing = `</${kind}>`;
    if (!name.test(kind) || unclosed.has(closing)) continue;
    const contentFrom = match.index + whole.length;
    const contentTo = lower.indexOf(closing, contentFrom);
    if (contentTo < 0) {
      unclosed.add(closing);
      continue;
    }
    const to = contentTo + closing.length;
    found.push({ attributes, content: html.slice(contentFrom, contentTo), from: match.index, to });
    opening.lastIndex = to;
  }
  return found;
}

/** Returns the HTML without the elements whose tag names match. */
function without(html: string, name: RegExp): string {
  let [text, at] = ['', 0];
  for (const { from, to } of elements(html, name)) {
    text += html.slice(at, from);
    at = to;
  }
  return text + html.slice(at);
}

function attribute(attributes: string, name: string): string | undefined {
  // oxlint-disable-next-line svc/no-dynamic-pattern -- the names of attributes are our own
  const found = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(attributes);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

function tableFrom(content: string): PageTable {
  const rows = elements(content, /^tr$/).map((row) => row.content);
  const head = rows.find((row) => /<th\b/i.test(row) && !/<td\b/i.test(row));
  const cells = (row: string): string[] => elements(row, /^t[hd]$/).map((cell) => getText(cell.content));
  const caption = elements(content, /^caption$/)[0];
  return {
    caption: caption === undefined ? null : getText(caption.content),
    header: head === undefined ? [] : cells(head),
    rows: rows.filter((row) => row !== head).map(cells),
  };
}

function getFields(html: string): string[] {
  const inputs = Array.from(html.matchAll(/<(?:input|textarea)\b([^<>]*)>/gi), ([, attributes = '']) =>
    ['placeholder', 'name', 'aria-label'].flatMap((name) => attribute(attributes, name) ?? []),
  );
  return [...elements(html, /^label$/).map(({ content }) => getText(content)), ...inputs.flat()];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function getText(html: string): string {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
