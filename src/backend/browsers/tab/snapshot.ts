import type { Frame, Page } from 'playwright-core';
import type { PageSnapshot } from '#backend/agent/tab.ts';
import { STEP_TIMEOUT_MS } from './as-tab-error.ts';
import { withoutPasswords } from './without-passwords.ts';

/** Nobody reads a longer one, and it would be kept in memory. */
const OUTLINE_MAX = 1_000_000;

/** The page with frames and open shadow roots, as Playwright outlines it for agents; the values of password fields are left out. */
export async function takeSnapshot(page: Page, signal: AbortSignal): Promise<PageSnapshot> {
  const before = await passwordsOf(page);
  const outline = await page.ariaSnapshot({ mode: 'ai', timeout: STEP_TIMEOUT_MS, signal });
  // What was typed meanwhile by somebody else is left out as well.
  const passwords = new Set([...before, ...(await passwordsOf(page))]);
  const title = await page.title();
  return { url: page.url(), title, outline: withoutPasswords(outline, passwords).slice(0, OUTLINE_MAX) };
}

async function passwordsOf(page: Page): Promise<string[]> {
  const values = await Promise.all(page.frames().map(valuesIn));
  return values.flat().filter((value) => value !== '');
}

async function valuesIn(frame: Frame): Promise<string[]> {
  try {
    return await frame.locator('input[type=password]').evaluateAll(readValues);
  } catch (error) {
    // A frame that has gone shows nothing any more; the page's own document is read again by whoever reads it.
    if (frame.parentFrame() !== null) return [];
    throw error;
  }
}

/** Runs inside the page. */
function readValues(inputs: readonly { readonly value?: unknown }[]): string[] {
  return inputs.map(({ value }) => String(value));
}
