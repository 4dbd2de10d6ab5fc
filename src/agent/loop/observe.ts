import { type PageSnapshot, type SeenDialog, type Tab, TabError } from '#browsers/tab/tab.ts';
import type { AgentWorld } from '../agent.ts';

/** Characters of an address that a model is shown: a page can give itself one of megabytes. */
const URL_MAX = 2000;

/** What a model is shown of the browser between two of its turns. */
export interface Observation {
  /** What the pages say; to be fenced. */
  readonly data: string;
  /** Our own words about it, '' for none. */
  readonly remark: string;
  readonly outline: string;
  readonly url: string;
  /** A picture, where the outline says nothing and the model sees pictures. */
  readonly picture: Uint8Array | null;
}

/** Looks at the browser. A page that cannot be looked at is an observation as well. Rejects with the signal's reason. */
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
  const { text, count } = partOf(snapshot.outline, 1);
  const picture = seesImages && saysNothing(snapshot) ? await pictureOf(tab) : null;
  return {
    data: [
      ...tabLines(open),
      ...dialogs.map(dialogLine),
      `Address: ${snapshot.url.slice(0, URL_MAX)}`,
      `Title: ${snapshot.title}`,
      text,
    ].join('\n'),
    remark: remarkOf(snapshot, count, picture),
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

function remarkOf({ outline, url }: PageSnapshot, parts: number, picture: Uint8Array | null): string {
  if (parts > 1)
    return `The outline is cut: this is part 1 of ${parts}, ${OUTLINE_PART} of ${outline.length} characters. The tools look and find show the rest.`;
  if (picture !== null) return 'The page has no text and no controls; a picture of it is attached.';
  return url === 'about:blank' ? 'No page is open yet.' : '';
}

/** A page that is painted, such as a canvas, has an outline of nothing but boxes. */
function saysNothing({ url, outline }: PageSnapshot): boolean {
  return url !== 'about:blank' && !/"|: \S|\b(?:textbox|button|link|checkbox|combobox)\b/.test(outline);
}

async function pictureOf(tab: Tab): Promise<Uint8Array | null> {
  try {
    return await tab.screenshot();
  } catch (error) {
    // Without it the outline still says that there is nothing to read.
    if (error instanceof TabError) return null;
    throw error;
  }
}

/** Characters of an outline that a model is shown at once. */
export const OUTLINE_PART = 40_000;

/** A part of an outline, and how many it has. */
export interface OutlinePart {
  readonly text: string;
  readonly count: number;
}

/** The part of that number, from 1, cut between lines where lines are not too long for that; empty behind the last. */
export function partOf(outline: string, number: number): OutlinePart {
  const parts = partsOf(outline);
  return { text: parts[number - 1] ?? '', count: parts.length };
}

function partsOf(outline: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (from < outline.length || parts.length === 0) {
    const end = endOf(outline, from);
    parts.push(outline.slice(from, end));
    from = end;
  }
  return parts;
}

function endOf(outline: string, from: number): number {
  const end = from + OUTLINE_PART;
  if (end >= outline.length) return outline.length;
  const line = outline.lastIndexOf('\n', end);
  return line > from ? line + 1 : end;
}
