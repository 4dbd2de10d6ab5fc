import type { Frame, Page } from 'playwright-core';
import { replyTooLarge } from '../pipe/cdp-pipe.ts';
import { stepTimeoutMs } from './step-runner.ts';
import { outlineMax, type PageLink, type PageSnapshot, type PageTable } from './tab.ts';

/** Maximum number of frames that are read at the same time. Playwright injects its script into each frame. */
export const framesAtOnce = 10;

/**
 * Takes a snapshot of the page in Playwright's format for agents, including frames and open shadow roots. Removes the
 * values of password fields.
 */
export async function takeSnapshot(page: Page, signal: AbortSignal): Promise<PageSnapshot> {
  const before = await getPasswords(page);
  const outline = await getOutline(page, signal);
  // Text typed concurrently by another client is omitted as well.
  const passwords = new Set([...before, ...(await getPasswords(page))]);
  const title = await page.evaluate(readTitle);
  return { url: page.url(), title, outline: withoutPasswords(getBeginning(outline), passwords) };
}

/**
 * Returns Playwright's outline of the page. If the page is too large for an outline, returns the beginning of its text.
 */
async function getOutline(page: Page, signal: AbortSignal): Promise<string> {
  try {
    return await page.ariaSnapshot({ mode: 'ai', timeout: stepTimeoutMs, signal });
  } catch (error) {
    if (!(error instanceof Error && error.message.includes(replyTooLarge))) throw error;
    const text = await page.evaluate(readText);
    return `- text: ${JSON.stringify(`(the page is too large for an outline; its text begins) ${text}`)}`;
  }
}

/**
 * Returns the first lines of an outline, at most `outlineMax` characters. Drops an incomplete last line, because it
 * could end within the value of a field. A last line longer than `lineMax` is cut instead.
 */
function getBeginning(outline: string): string {
  if (outline.length <= outlineMax) return outline;
  const end = outline.lastIndexOf('\n', outlineMax);
  return outline.slice(0, outlineMax - end > lineMax ? outlineMax : end);
}

/**
 * Returns the values of all password fields of the page that are not empty. Reads a few frames at a time, because a
 * page may have hundreds of frames.
 */
async function getPasswords(page: Page): Promise<string[]> {
  const frames = page.frames();
  const values: string[] = [];
  for (let begin = 0; begin < frames.length; begin += framesAtOnce)
    values.push(...(await Promise.all(frames.slice(begin, begin + framesAtOnce).map(valuesIn))).flat());
  return values.filter((value) => value !== '');
}

async function valuesIn(frame: Frame): Promise<string[]> {
  try {
    return await frame.evaluate(readPasswords);
  } catch (error) {
    // A child frame that was removed shows nothing. An error of the main frame is thrown, and the caller reads the page
    // again.
    if (frame.parentFrame() !== null) return [];
    throw error;
  }
}

/**
 * Hides the values of password fields in an outline. A value is at the end of the line of its field, or on a line of its
 * own below, for example below a placeholder.
 */
function withoutPasswords(outline: string, passwords: ReadonlySet<string>): string {
  if (passwords.size === 0) return outline;
  const shown = new Set(Array.from(passwords, (value) => normal(value)));
  let fieldIndent = Number.POSITIVE_INFINITY;
  return outline
    .split('\n')
    .map((line) => {
      const indent = line.search(/\S|$/);
      if (indent <= fieldIndent) fieldIndent = field.test(line) ? indent : Number.POSITIVE_INFINITY;
      return withoutPassword(line, indent > fieldIndent ? textLine : fieldLine, shown);
    })
    .join('\n');
}

/** Beginning of a line with a field. The line is in quotation marks if the name of the field has marks of YAML. */
const field = /^\s*- '?(?:textbox|searchbox|combobox|spinbutton)\b/;
const fieldLine = /^(?<head>\s*- '?\w+\b.*?\[ref=\w+\](?: \[[^\]]*\])*'?: )(?<value>.*)$/;
const textLine = /^(?<head>\s*- text: )(?<value>.*)$/;

/** Maximum length of an outline line that is compared with passwords as a whole. A longer line of a field is cut. */
const lineMax = 2_000;
/** Number of characters of a longer line that are compared. */
const comparedMax = 100;

function withoutPassword(line: string, pattern: RegExp, shown: ReadonlySet<string>): string {
  if (pattern === fieldLine && !field.test(line)) return line;
  const { head, value } = pattern.exec(line.slice(0, lineMax))?.groups ?? {};
  const isCut = line.length > lineMax;
  if (head !== undefined && value !== undefined && (isCut ? startsOne(value, shown) : isOne(value, shown)))
    return `${head}(hidden)`;
  return pattern === fieldLine ? line.slice(0, lineMax) : line;
}

function isOne(value: string, passwords: ReadonlySet<string>): boolean {
  return passwords.has(normal(unquoted(value)));
}

/** Returns whether a password begins like the value of a line that was cut. */
function startsOne(value: string, passwords: ReadonlySet<string>): boolean {
  const begin = value.replace(/^"/, '').slice(0, comparedMax);
  return [...passwords].some((one) => one.startsWith(begin) || JSON.stringify(one).startsWith(begin, 1));
}

/** Collapses whitespace as an outline does. */
function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the text of a value in an outline. Playwright writes an ambiguous value as a JSON string. */
function unquoted(value: string): string {
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

/*
 * These functions run in the page: Playwright sends their source text, so each must be self-contained. The interfaces
 * declare the members that they use.
 */

/** A document, an element or an open shadow root. */
interface PageRoot {
  querySelectorAll(selector: string): Iterable<PageElement>;
}

interface PageElement extends PageRoot {
  readonly innerText: string;
  readonly href: string;
  readonly value?: unknown;
  readonly shadowRoot: PageRoot | null;
  querySelector(selector: string): PageElement | null;
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
}

declare const document: PageElement & { readonly body: PageElement | null; readonly title: string };

/**
 * Returns the texts of the headings h1-h6 in document order, without empty texts. Reads at most 2,000 headings and
 * 300,000 characters. Runs in the page.
 */
export function readHeadings(): string[] {
  let room = 300_000;
  const texts = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].slice(0, 2000).map((heading) => {
    const text = heading.innerText.trim().slice(0, room);
    room -= text.length;
    return text;
  });
  return texts.filter((text) => text !== '');
}

/**
 * Returns the text and URL of the links in document order: at most 5,000 links and 500,000 characters. Runs in the
 * page.
 */
export function readLinks(): PageLink[] {
  let room = 500_000;
  const all = [...document.querySelectorAll('a[href]')].slice(0, 5000).map((link) => {
    const [text, url] = [link.innerText.trim(), link.href];
    room -= text.length + url.length;
    return room < 0 ? null : { text, url };
  });
  return all.filter((link) => link !== null);
}

/**
 * Returns the first 500 tables in document order. A row of a nested table belongs to the nested table only. Reads at
 * most 20,000 cells and 500,000 characters in total. Runs in the page.
 */
export function readTables(): PageTable[] {
  let [room, cellsLeft] = [500_000, 20_000];
  const getText = (element: PageElement): string => {
    const text = element.innerText.trim().slice(0, room);
    room -= text.length;
    return text;
  };
  const getCells = (row: PageElement): string[] => {
    const cells = [...row.querySelectorAll('th,td')].slice(0, cellsLeft);
    cellsLeft -= cells.length;
    return cells.map(getText);
  };
  return [...document.querySelectorAll('table')].slice(0, 500).map((table) => {
    const rows = [...table.querySelectorAll('tr')].slice(0, cellsLeft).filter((row) => row.closest('table') === table);
    const head = rows.find((row) => row.querySelector('th') !== null && row.querySelector('td') === null);
    const caption = table.querySelector('caption');
    return {
      caption: caption === null ? null : getText(caption),
      header: head === undefined ? [] : getCells(head),
      rows: rows.filter((row) => row !== head).map(getCells),
    };
  });
}

/** Returns the title, at most 1,000 characters. */
export function readTitle(): string {
  return document.title.slice(0, 1000);
}

/** Returns the visible text of the page, at most 100,000 characters. Runs in the page. */
export function readText(): string {
  return (document.body?.innerText ?? '').slice(0, 100_000);
}

/**
 * Returns the values of password fields, including those in open shadow roots. Reads at most 2,000 values, and 2,000
 * characters of each, because longer outline lines are cut anyway. Runs in the page.
 */
function readPasswords(): string[] {
  const roots: PageRoot[] = [document];
  const values: string[] = [];
  for (const root of roots)
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      if (values.length < 2000 && element.matches('input[type=password]'))
        values.push(String(element.value).slice(0, 2000));
    }
  return values;
}
