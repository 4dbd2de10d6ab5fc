import { type PageSnapshot, type SeenDialog, type Tab, TabError } from '#browsers/tab/tab.ts';
import type { AgentTask, AgentWorld } from '../agent.ts';

/** Maximum number of characters of a URL in a request to the model: a page can have a URL of megabytes. */
const urlMax = 2000;

/** The state of the browser that a model receives between two turns. */
export interface Observation {
  /** Untrusted text of pages; a request encloses it with a `Fence`. */
  readonly data: string;
  /** Remark of the service about the page; empty for none. */
  readonly remark: string;
  readonly outline: string;
  readonly url: string;
  /** A screenshot; null if the settings require none for this page, or if it could not be taken. */
  readonly picture: Uint8Array | null;
}

/** Settings of the pictures that the model of a task receives. */
export interface PictureSettings {
  readonly pictures: 'never' | 'on request' | 'always';
  /** Whether pictures show each usable element in a box with the reference of the element. */
  readonly isMarked: boolean;
}

/** Returns the picture settings of a task. A model that accepts no pictures receives none. */
export function getPictureSettings({ settings }: Pick<AgentTask, 'settings'>, seesImages: boolean): PictureSettings {
  const { vision = 'auto', highlightElements = false } = settings ?? {};
  const wanted = vision === 'auto' ? 'on request' : 'always';
  return { pictures: seesImages && vision !== false ? wanted : 'never', isMarked: highlightElements };
}

/**
 * Observes the browser for the next turn. If a page cannot be observed, the observation contains the failure. Rejects
 * with the signal's reason.
 */
export async function observe(world: AgentWorld, sight: PictureSettings): Promise<Observation> {
  try {
    return await look(await world.tab(), sight);
  } catch (error) {
    if (!(error instanceof TabError)) throw error;
    const remark = `The page cannot be looked at: ${error.message}`;
    return { data: '', remark, outline: '', url: 'about:blank', picture: null };
  }
}

async function look(tab: Tab, sight: PictureSettings): Promise<Observation> {
  const snapshot = await tab.snapshot();
  const open = await tab.tabs.list();
  const dialogs = await tab.dialogs.seen();
  const { text, count } = getPart(snapshot.outline, 1);
  const picture = showsPicture(snapshot, sight) ? await getPicture(tab, marksOn(snapshot.outline, sight)) : null;
  return {
    data: [
      ...tabLines(open),
      ...dialogs.map(dialogLine),
      `Address: ${snapshot.url.slice(0, urlMax)}`,
      `Title: ${snapshot.title}`,
      text,
    ].join('\n'),
    remark: getRemark(snapshot, count, picture === null ? null : sight),
    outline: snapshot.outline,
    url: snapshot.url,
    picture,
  };
}

function tabLines(open: Awaited<ReturnType<Tab['tabs']['list']>>): string[] {
  if (open.length < 2) return [];
  return open.map(
    ({ number, url, title, isFront }) =>
      `Tab ${number}${isFront ? ' (in front)' : ''}: ${title} ${url.slice(0, urlMax)}`,
  );
}

function dialogLine({ kind, message, answer }: SeenDialog): string {
  return `A dialog came up (${kind}): ${JSON.stringify(message)}; it was ${answer}.`;
}

/**
 * Returns the remark of the service about a page. `parts` is the number of parts of the page's outline. `shown`
 * contains the settings of the attached picture; null without a picture.
 */
function getRemark(page: PageSnapshot, parts: number, shown: PictureSettings | null): string {
  const { outline, url } = page;
  const picture = shown === null ? '' : pictureRemark(page, shown);
  if (parts > 1)
    return `The outline is cut: this is part 1 of ${parts}, ${outlinePart} of ${outline.length} characters. The tools look and find show the rest. ${picture}`.trim();
  return url === 'about:blank' ? 'No page is open yet.' : picture;
}

function pictureRemark(page: PageSnapshot, { isMarked }: PictureSettings): string {
  if (saysNothing(page)) return 'The page has no text and no controls; a picture of it is attached.';
  const marks = isMarked ? ' Boxes in it have the references of elements.' : '';
  return `A picture of what is visible of the page is attached.${marks}`;
}

function showsPicture(page: PageSnapshot, { pictures }: PictureSettings): boolean {
  if (pictures === 'always') return page.url !== 'about:blank';
  return pictures === 'on request' && saysNothing(page);
}

/** Matches a line of an outline with an element that can be used, and captures the reference of the element. */
const usablePattern =
  /^\s*- '?(?:button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|option|tab|menuitem)\b.*?\[ref=(\w+)\]|\[ref=(\w+)\][^\n]*\[cursor=pointer\]/;

/**
 * Returns the references of the usable elements in an outline, for the boxes of a screenshot; empty if the settings
 * require no boxes.
 */
export function marksOn(outline: string, { isMarked }: PictureSettings): string[] {
  if (!isMarked) return [];
  return outline.split('\n').flatMap((line) => {
    const found = usablePattern.exec(line);
    const ref = found?.[1] ?? found?.[2];
    return ref === undefined ? [] : [ref];
  });
}

/**
 * Returns true for an open page whose outline has no text, name or common control, such as a page with only a canvas.
 * False for `about:blank`.
 */
function saysNothing({ url, outline }: PageSnapshot): boolean {
  return url !== 'about:blank' && !/"|: \S|\b(?:textbox|button|link|checkbox|combobox)\b/.test(outline);
}

async function getPicture(tab: Tab, marked: readonly string[]): Promise<Uint8Array | null> {
  try {
    return await tab.screenshot(marked);
  } catch (error) {
    // Without a picture the outline still shows that there is no text.
    if (error instanceof TabError) return null;
    throw error;
  }
}

/** Maximum number of characters of an outline per observation. */
export const outlinePart = 40_000;

/** A part of an outline, and the number of parts that the outline has. */
export interface OutlinePart {
  readonly text: string;
  readonly count: number;
}

/**
 * Returns one part of an outline by its number, counted from 1. A part ends at a line break, or inside a line that is
 * longer than a part. Returns an empty text for a number after the last part.
 */
export function getPart(outline: string, number: number): OutlinePart {
  const parts = getParts(outline);
  return { text: parts[number - 1] ?? '', count: parts.length };
}

function getParts(outline: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (from < outline.length || parts.length === 0) {
    const end = getEnd(outline, from);
    parts.push(outline.slice(from, end));
    from = end;
  }
  return parts;
}

function getEnd(outline: string, from: number): number {
  const end = from + outlinePart;
  if (end >= outline.length) return outline.length;
  const line = outline.lastIndexOf('\n', end);
  return line > from ? line + 1 : end;
}
