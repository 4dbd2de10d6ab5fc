/** A goal whose addresses and quotations are out of the way, so that it can be cut at commas and full stops. */
export interface Quoted {
  /** The goal with a mark in place of each. */
  readonly text: string;
  /** Puts addresses back, and quotations with their quotation marks. */
  readonly restore: (part: string) => string;
  /** Puts addresses back, and quotations without their quotation marks. */
  readonly unquote: (part: string) => string;
}

/** The marks are private-use characters, which a goal written by a person does not hold. */
const OPEN = '\uE000';
const CLOSE = '\uE001';

/** A pattern for one mark. */
export const MARK = `${OPEN}\\d+${CLOSE}`;

/**
 * An address ends at a blank; punctuation at its end belongs to the sentence. A single quotation mark counts only at the
 * border of a word, because inside of one it is an apostrophe.
 */
const ADDRESS_OR_QUOTATION =
  /"([^"]*)"|“([^“”]*)”|«([^«»]*)»|`([^`]*)`|(?<![^\s(:])['‘]([^'’]*)['’](?![^\s.,;:!?)])|((?:https?:\/\/|data:|file:|about:|chrome:)\S*[^\s.,;:!?)])/gi;

/** Takes the addresses and quotations of a goal out of the way. */
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
