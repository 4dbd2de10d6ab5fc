import type { BrowserContext, Page } from 'playwright-core';
import { within } from '../within.ts';

/** Tracker of the foreground tab, which is the open tab that came to the front last. */
export interface Foreground {
  /** Returns the foreground page; opens a new page when no page is open. */
  page(): Promise<Page>;
  /** Returns the foreground page; null when no page is open. */
  newest(): Page | null;
  /** Returns every open page, the foreground page last. */
  all(): readonly Page[];
  /** Marks an open page as the foreground page; does nothing for a closed page. */
  show(page: Page): void;
  /** Opens an empty page in the foreground. */
  add(): Promise<void>;
  /** Calls the listener after each change of the open pages or their order, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/**
 * Follows the tabs of a browser context. A new tab becomes the foreground tab; a tab that closes or crashes is removed.
 */
export function followForeground(context: BrowserContext): Foreground {
  const open: Page[] = [];
  const listeners = new Set<() => void>();
  let opening: Promise<Page> | null = null;

  const remove = (page: Page): void => {
    const index = open.indexOf(page);
    if (index === -1) return;
    open.splice(index, 1);
    for (const listener of listeners) listener();
  };
  const add = (page: Page): void => {
    // A tab that closed while it opened is announced nevertheless.
    if (open.includes(page) || page.isClosed()) return;
    open.push(page);
    page.once('close', remove);
    // A crashed page does not respond; the next step gets another page.
    page.once('crash', remove);
    for (const listener of listeners) listener();
  };
  const openNew = async (): Promise<Page> => {
    try {
      return await context.newPage();
    } finally {
      opening = null;
    }
  };

  context.pages().forEach(add);
  context.on('page', add);
  return {
    async page() {
      const front = open.at(-1);
      if (front !== undefined) return front;
      // Concurrent callers share one new tab.
      opening ??= openNew();
      return opening;
    },
    newest: () => open.at(-1) ?? null,
    all: () => [...open],
    show(page) {
      const index = open.indexOf(page);
      if (index === -1) return;
      open.push(...open.splice(index, 1));
      for (const listener of listeners) listener();
    },
    async add() {
      add(await context.newPage());
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const screenshotTimeoutMs = 10_000;

/**
 * Takes a JPEG of the foreground page. Rejects when the signal aborts, and after 10 s, for example while a script keeps
 * the page busy.
 */
export async function takeScreenshot(foreground: Foreground, signal?: AbortSignal): Promise<Uint8Array> {
  const shot = async (): Promise<Uint8Array> => {
    const page = await foreground.page();
    const early = signal === undefined ? {} : { signal };
    return page.screenshot({ type: 'jpeg', quality: 80, timeout: screenshotTimeoutMs, ...early });
  };
  return within(screenshotTimeoutMs, shot(), 'The page gave no screenshot within 10 s.');
}
