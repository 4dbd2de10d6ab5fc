import type { PageLink, PageTable } from './tab.ts';

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

declare const document: PageElement & { readonly body: PageElement | null; readonly title: string };

/** Headings h1-h6 in document order, without empty ones: at most 2,000 of them and 300,000 characters. */
export function readHeadings(): string[] {
  let room = 300_000;
  const texts = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].slice(0, 2000).map((heading) => {
    const text = heading.innerText.trim().slice(0, room);
    room -= text.length;
    return text;
  });
  return texts.filter((text) => text !== '');
}

/** Links with an address, in document order: at most 5,000 of them and 500,000 characters. */
export function readLinks(): PageLink[] {
  let room = 500_000;
  const all = [...document.querySelectorAll('a[href]')].slice(0, 5000).map((link) => {
    const [text, url] = [link.innerText.trim(), link.href];
    room -= text.length + url.length;
    return room < 0 ? null : { text, url };
  });
  return all.filter((link) => link !== null);
}

/** Tables in document order; a row counts to the innermost table that holds it. At most 20,000 cells and 500,000 characters of them all. */
export function readTables(): PageTable[] {
  let [room, cellsLeft] = [500_000, 20_000];
  const textOf = (element: PageElement): string => {
    const text = element.innerText.trim().slice(0, room);
    room -= text.length;
    return text;
  };
  const cellsOf = (row: PageElement): string[] => {
    const cells = [...row.querySelectorAll('th,td')].slice(0, cellsLeft);
    cellsLeft -= cells.length;
    return cells.map(textOf);
  };
  return [...document.querySelectorAll('table')].slice(0, 500).map((table) => {
    const rows = [...table.querySelectorAll('tr')].slice(0, cellsLeft).filter((row) => row.closest('table') === table);
    const head = rows.find((row) => row.querySelector('th') !== null && row.querySelector('td') === null);
    const caption = table.querySelector('caption');
    return {
      caption: caption === null ? null : textOf(caption),
      header: head === undefined ? [] : cellsOf(head),
      rows: rows.filter((row) => row !== head).map(cellsOf),
    };
  });
}

/** The title, at most 1,000 characters. */
export function readTitle(): string {
  return document.title.slice(0, 1000);
}

/** The visible text, at most 100,000 characters. */
export function readText(): string {
  return (document.body?.innerText ?? '').slice(0, 100_000);
}
