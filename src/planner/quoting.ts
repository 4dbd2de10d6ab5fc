/** A task text in which a marker replaces each URL and quotation. It can then be split at commas and full stops. */
export interface Quoted {
  /** The task text with markers. */
  readonly text: string;
  /** Replaces the markers in a part of the text by the URLs, and by the quotations with their quotation marks. */
  readonly restore: (part: string) => string;
  /** Replaces the markers in a part of the text by the URLs, and by the quotations without their quotation marks. */
  readonly unquote: (part: string) => string;
}

/**
 * First character of a marker; `closeMark` is the last. Both are from the private use area of Unicode. If a goal
 * contains them, blanks replace them.
 */
const openMark = '\uE000';
const closeMark = '\uE001';

/** Pattern of one marker. */
export const markPattern = `${openMark}\\d+${closeMark}`;

/**
 * Pattern of a URL or quotation. A URL ends at a blank, and does not include final punctuation. A single quotation mark
 * counts only at a word boundary, because within a word it is an apostrophe.
 */
const addressOrQuotation =
  /"([^"]*)"|“([^“”]*)”|«([^«»]*)»|`([^`]*)`|(?<![^\s(:])['‘]([^'’]*)['’](?![^\s.,;:!?)])|((?:https?:\/\/|data:|file:|about:|chrome:)\S*[^\s.,;:!?)])/gi;

/** Replaces each URL and quotation in a task text by a marker. */
export function quote(goal: string): Quoted {
  const taken: { readonly raw: string; readonly inner: string }[] = [];
  const clean = goal.replaceAll(openMark, ' ').replaceAll(closeMark, ' ');
  const text = clean.replace(addressOrQuotation, (raw: string, ...groups: unknown[]) => {
    const inner = groups.slice(0, 6).find((group): group is string => typeof group === 'string') ?? raw;
    taken.push({ raw, inner });
    return `${openMark}${taken.length - 1}${closeMark}`;
  });
  const putBack = (part: string, form: 'raw' | 'inner'): string =>
    part.replace(/\uE000(\d+)\uE001/g, (_mark, index: string) => taken[Number(index)]?.[form] ?? '');
  return { text, restore: (part) => putBack(part, 'raw'), unquote: (part) => putBack(part, 'inner') };
}
