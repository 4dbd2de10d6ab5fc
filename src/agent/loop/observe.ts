import { type PageSnapshot, type SeenDialog, type Tab, TabError } from '#browsers/tab/tab.ts';
import type { AgentWorld } from '../agent.ts';

/** Maximum length of a URL for the model: a page can have a URL of megabytes. */
const URL_MAX = 2000;

/** The state of the browser that a model receives between two turns. */
export interface Observation {
  /** Text of pages, which must be fenced. */
  readonly data: string;
  /** Remark of the service about the page; empty for none. */
  readonly remark: string;
  readonly outline: string;
  readonly url: string;
  /** A screenshot when the outline is empty and the model accepts pictures; otherwise null. */
  readonly picture: Uint8Array | null;
}

/** Observes the browser. The failure to observe a page is an observation too. Rejects with the signal's reason. */
export async function observe(world: AgentWorld): Promise<Observation> {
  try {
    return await look(await world.tab(), world.model?.seesImages ?? false);
  } catch (error) {
    if (!(error instanceof TabError)) throw error;
    const remark = `The page cannot be looked at: ${error.message}`;
    return { data: '', remark, outline: '', url: 'about:blank', picture: null };
  }
}

async function look(tab: Tab, seesImages: boolean): Promise<Observation> {
  const snapshot = await tab.snapshot();
  const open = await tab.tabs.list();
  const dialogs = await tab.dialogs.seen();
  const { text, count } = getPart(snapshot.outline, 1);
  const picture = seesImages && saysNothing(snapshot) ? await getPicture(tab) : null;
  return {
    data: [
      ...tabLines(open),
      ...dialogs.map(dialogLine),
      `Address: ${snapshot.url.slice(0, URL_MAX)}`,
      `Title: ${snapshot.title}`,
      text,
    ].join('\n'),
    remark: getRemark(snapshot, count, picture),
    outline: snapshot.outline,
    url: snapshot.url,
    picture,
  };
}

function tabLines(open: Awaited<ReturnType<Tab['tabs']['list']>>): string[] {
  if (open.length < 2) return [];
  return open.map(
    ({ number, url, title, isFront }) =>
      `Tab ${number}${isFront ? ' (in front)' : ''}: ${title} ${url.slice(0, URL_MAX)}`,
  );
}

function dialogLine({ kind, message, answer }: SeenDialog): string {
  return `A dialog came up (${kind}): ${JSON.stringify(message)}; it was ${answer}.`;
}

function getRemark({ outline, url }: PageSnapshot, parts: number, picture: Uint8Array | null): string {
  if (parts > 1)
    return `The outline is cut: this is part 1 of ${parts}, ${OUTLINE_PART} of ${outline.length} characters. The tools look and find show the rest.`;
  if (picture !== null) return 'The page has no text and no controls; a picture of it is attached.';
  return url === 'about:blank' ? 'No page is open yet.' : '';
}

/** Returns whether an outline contains only boxes, as for a canvas. */
function saysNothing({ url, outline }: PageSnapshot): boolean {
  return url !== 'about:blank' && !/"|: \S|\b(?:textbox|button|link|checkbox|combobox)\b/.test(outline);
}

async function getPicture(tab: Tab): Promise<Uint8Array | null> {
  try {
    return await tab.screenshot();
  } catch (error) {
    // Without a picture the outline still shows that there is no text.
    if (error instanceof TabError) return null;
    throw error;
  }
}

/** Maximum number of characters of an outline per observation. */
export const OUTLINE_PART = 40_000;

/** A part of an outline, and the number of its parts. */
export interface OutlinePart {
  readonly text: string;
  readonly count: number;
}

/**
 * Returns part `number` (from 1) of an outline, divided between lines if they are short enough; empty after the last
 * part.
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
  const end = from + OUTLINE_PART;
  if (end >= outline.length) return outline.length;
  const line = outline.lastIndexOf('\n', end);
  return line > from ? line + 1 : end;
}
