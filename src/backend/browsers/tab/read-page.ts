import type { PageLink, PageTable } from '#backend/agent/tab.ts';

/*
 * These functions run inside the page: Playwright sends their source text, so each must be complete in itself and may
 * use nothing of this module. The interfaces describe the little of the document that they touch.
 */

interface PageElement {
  readonly innerText: string;
  readonly href: string;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
}

declare const document: PageElement & { readonly body: PageElement | null };

/** Headings h1-h6 in document order, without empty ones. */
export function readHeadings(): string[] {
  const texts = Array.from(document.querySelectorAll('h1,h2,h3,h4,h5,h6'), (heading) => heading.innerText.trim());
  return texts.filter((text) => text !== '');
}

/** Links with an address, in document order. */
export function readLinks(): PageLink[] {
  return Array.from(document.querySelectorAll('a[href]'), (link) => ({ text: link.innerText.trim(), url: link.href }));
}

/** Tables in document order; a row counts to the innermost table that holds it. */
export function readTables(): PageTable[] {
  const cellsOf = (row: PageElement): string[] =>
    Array.from(row.querySelectorAll('th,td'), (cell) => cell.innerText.trim());
  return Array.from(document.querySelectorAll('table'), (table) => {
    const rows = Array.from(table.querySelectorAll('tr')).filter((row) => row.closest('table') === table);
    const head = rows.find((row) => row.querySelector('th') !== null && row.querySelector('td') === null);
    return {
      caption: table.querySelector('caption')?.innerText.trim() ?? null,
      header: head === undefined ? [] : cellsOf(head),
      rows: rows.filter((row) => row !== head).map(cellsOf),
    };
  });
}

/** The visible text, at most 100,000 characters. */
export function readText(): string {
  return (document.body?.innerText ?? '').slice(0, 100_000);
}
