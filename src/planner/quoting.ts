/** A task text with markers in place of URLs and quotations, so that it can be split at commas and full stops. */
export interface Quoted {
  /** The goal with markers. */
  readonly text: string;
  /** Restores URLs, and quotations with their quotation marks. */
  readonly restore: (part: string) => string;
  /** Restores URLs, and quotations without their quotation marks. */
  readonly unquote: (part: string) => string;
}

/**
 * First and last character of a marker, from the private use area of Unicode. Where a goal contains them, blanks
 * replace them.
 */
const OPEN = '\uE000';
const CLOSE = '\uE001';

/** Pattern of one marker. */
export const MARK = `${OPEN}\\d+${CLOSE}`;

/**
 * Pattern for a URL or quotation. A URL ends at a blank; final punctuation belongs to the sentence. A single quotation
 * mark counts only at a word boundary, because inside of a word it is an apostrophe.
 */
const ADDRESS_OR_QUOTATION =
  /"([^"]*)"|“([^“”]*)”|«([^«»]*)»|`([^`]*)`|(?<![^\s(:])['‘]([^'’]*)['’](?![^\s.,;:!?)])|((?:https?:\/\/|data:|file:|about:|chrome:)\S*[^\s.,;:!?)])/gi;

/** Replaces the URLs and quotations of a task text by markers. */
export function quote(goal: string): Quoted {
  const taken: { readonly raw: string; readonly inner: string }[] = [];
  const clean = goal.replaceAll(OPEN, ' ').replaceAll(CLOSE, ' ');
  const text = clean.replace(ADDRESS_OR_QUOTATION, (raw: string, ...groups: unknown[]) => {
    const inner = groups.slice(0, 6).find((group): group is string => typeof group === 'string') ?? raw;
    taken.push({ raw, inner });
    return `${OPEN}${taken.length - 1}${CLOSE}`;
  });
  const putBack = (part: string, form: 'raw' | 'inner'): string =>
    part.replace(/\uE000(\d+)\uE001/g, (_mark, index: string) => taken[Number(index)]?.[form] ?? '');
  return { text, restore: (part) => putBack(part, 'raw'), unquote: (part) => putBack(part, 'inner') };
}
