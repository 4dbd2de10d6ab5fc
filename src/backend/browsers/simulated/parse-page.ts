import type { PageLink, PageTable } from '#backend/agent/tab.ts';

/** What a simulated tab knows of a page. */
export interface SimulatedPage {
  readonly title: string;
  readonly headings: readonly string[];
  readonly links: readonly PageLink[];
  readonly tables: readonly PageTable[];
  /** Names of buttons, in document order. */
  readonly buttons: readonly string[];
  /** Labels, placeholders and names of fields, in document order. */
  readonly fields: readonly string[];
  readonly text: string;
}

/**
 * Reads the little HTML that simulated pages and `data:` pages of tests consist of: well-formed, one element inside
 * another of a different kind. It is no HTML parser and must not be used for pages from the internet. `base` resolves
 * relative links. Never throws.
 */
export function parsePage(html: string, base: string): SimulatedPage {
  const body = html.replace(/<(script|style|title)\b[^>]*>.*?<\/\1>/gis, '');
  return {
    title: textOf(elements(html, /^title$/)[0]?.content ?? ''),
    headings: elements(html, /^h[1-6]$/).map(({ content }) => textOf(content)),
    links: elements(html, /^a$/).flatMap(({ attributes, content }) => {
      const url = URL.parse(attribute(attributes, 'href') ?? '', base);
      return url === null ? [] : [{ text: textOf(content), url: url.href }];
    }),
    tables: elements(html, /^table$/).map(({ content }) => tableFrom(content)),
    buttons: elements(html, /^button$/).map(({ content }) => textOf(content)),
    fields: fieldsOf(html),
    text: textOf(body),
  };
}

interface Element {
  readonly attributes: string;
  readonly content: string;
}

/** Returns the elements whose names fit, none of them inside of another. Takes time linear in the text. */
function elements(html: string, name: RegExp): Element[] {
  const found: Element[] = [];
  const unclosed = new Set<string>();
  const lowered = html.replaceAll('İ', 'i').toLowerCase();
  const opening = /<([a-z][a-z0-9]*)\b/g;
  for (let tag = opening.exec(lowered); tag !== null; tag = opening.exec(lowered)) {
    const [, kind = ''] = tag;
    if (!name.test(kind) || unclosed.has(kind)) continue;
    const start = html.indexOf('>', opening.lastIndex);
    if (start < 0) return found;
    const end = lowered.indexOf(`</${kind}>`, start);
    if (end < 0) {
      unclosed.add(kind);
      continue;
    }
    found.push({ attributes: html.slice(opening.lastIndex, start), content: html.slice(start + 1, end) });
    opening.lastIndex = end;
  }
  return found;
}

function attribute(attributes: string, name: string): string | undefined {
  // oxlint-disable-next-line svc/no-dynamic-pattern -- the names of attributes are our own
  const found = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(attributes);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

function tableFrom(content: string): PageTable {
  const rows = elements(content, /^tr$/).map((row) => row.content);
  const head = rows.find((row) => /<th\b/i.test(row) && !/<td\b/i.test(row));
  const cells = (row: string): string[] => elements(row, /^t[hd]$/).map((cell) => textOf(cell.content));
  const caption = elements(content, /^caption$/)[0];
  return {
    caption: caption === undefined ? null : textOf(caption.content),
    header: head === undefined ? [] : cells(head),
    rows: rows.filter((row) => row !== head).map(cells),
  };
}

function fieldsOf(html: string): string[] {
  const inputs = Array.from(html.matchAll(/<(?:input|textarea)\b([^>]*)>/gi), ([, attributes = '']) =>
    ['placeholder', 'name', 'aria-label'].flatMap((name) => attribute(attributes, name) ?? []),
  );
  return [...elements(html, /^label$/).map(({ content }) => textOf(content)), ...inputs.flat()];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function textOf(html: string): string {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
