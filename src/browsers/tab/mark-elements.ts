import type { Page } from 'playwright-core';
import { type Foreground, takeScreenshot } from './foreground.ts';

/** Maximum number of marked elements. Each mark costs a request to the browser, and more marks would cover the page. */
const marksMax = 100;
/** Number of elements that are measured concurrently. */
const measuredAtOnce = 20;
/**
 * Timeout for measuring one element in ms. An element that cannot be measured, for example because it was removed, gets
 * no box.
 */
const measureMs = 1_000;

/** Position and size of an element in the viewport, in CSS pixels, and its reference in the latest snapshot. */
interface Mark {
  readonly ref: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Takes a JPEG of the foreground page, with a labelled box around each given element. Draws at most 100 boxes, and
 * removes them from the page afterwards. Rejects like `takeScreenshot`.
 */
export async function takeMarkedScreenshot(
  foreground: Foreground,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const page = await foreground.page();
  const marks = await getMarks(page, refs.slice(0, marksMax), signal);
  const drawn = await page.evaluateHandle(drawMarks, marks);
  try {
    return await takeScreenshot(foreground, signal);
  } finally {
    await drawn.evaluate((boxes) => boxes.remove());
    await drawn.dispose();
  }
}

async function getMarks(page: Page, refs: readonly string[], signal: AbortSignal): Promise<Mark[]> {
  const marks: Mark[] = [];
  for (let begin = 0; begin < refs.length; begin += measuredAtOnce) {
    const some = refs.slice(begin, begin + measuredAtOnce);
    marks.push(...(await Promise.all(some.map((ref) => getMark(page, ref, signal)))).flat());
  }
  return marks;
}

/** Measures an element. Returns an empty list for an element that is not rendered or was removed. */
async function getMark(page: Page, ref: string, signal: AbortSignal): Promise<Mark[]> {
  try {
    const box = await page.getByRef(ref).boundingBox({ timeout: measureMs, signal });
    return box === null ? [] : [{ ref, ...box }];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && /Timeout|frame|Frame|snapshot|detached/.test(error.message)) return [];
    throw error;
  }
}

/*
 * This function runs in the page: Playwright sends its source text, so it must be self-contained. The interfaces
 * declare the members that it uses.
 */

interface Drawing {
  textContent: string | null;
  readonly style: { cssText: string };
  append(...children: readonly Drawing[]): void;
  attachShadow(options: { readonly mode: 'closed' }): Pick<Drawing, 'append'>;
  remove(): void;
}

declare const document: { createElement(name: string): Drawing; readonly documentElement: Drawing };

/**
 * Draws the boxes inside a closed shadow root, so that styles of the page do not affect them. Returns the element that
 * contains the shadow root. Runs in the page.
 */
function drawMarks(marks: readonly Mark[]): Drawing {
  const made = (name: string, style: string): Drawing => {
    const element = document.createElement(name);
    element.style.cssText = style;
    return element;
  };
  const host = made('div', 'all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none');
  const root = host.attachShadow({ mode: 'closed' });
  for (const { ref, x, y, width, height } of marks) {
    const place = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
    const box = made('div', `position:fixed;box-sizing:border-box;border:2px solid #d0021b;${place}`);
    const label = made(
      'span',
      `position:absolute;left:-2px;${y < 14 ? 'top' : 'bottom'}:100%;padding:0 2px;font:bold 11px monospace;color:#fff;background:#d0021b`,
    );
    label.textContent = ref;
    box.append(label);
    root.append(box);
  }
  document.documentElement.append(host);
  return host;
}
