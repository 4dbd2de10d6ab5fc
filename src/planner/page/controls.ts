import { getAncestors, nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { getWords } from './words.ts';

/** Roles of controls that can be pressed. */
export const pressable = ['button', 'link', 'tab', 'menuitem', 'gridcell', 'treeitem', 'switch'] as const;
/** Roles of controls that a user selects in a group or a list. */
export const choosable = ['radio', 'option', 'checkbox', 'switch', 'menuitemradio', 'menuitemcheckbox'] as const;
/** Roles of controls that accept text. */
export const typable = ['textbox', 'searchbox', 'spinbutton', 'combobox', 'slider'] as const;
/** Roles of controls with a checked state. */
export const tickable = ['checkbox', 'switch', 'menuitemcheckbox'] as const;

const namedAround = /^(?:group|radiogroup|combobox|listbox|form|region|dialog|search|tablist|navigation|row|figure)$/;

/** A control that matches a query. A smaller distance means a better match. */
export interface ControlMatch {
  readonly node: PageNode;
  readonly distance: number;
}

/** Words and roles to find. */
export interface ControlQuery {
  readonly words: readonly string[];
  readonly roles: readonly string[];
  /** Whether words may also match the names of surrounding groups and the headings of the page. */
  readonly useContext: boolean;
}

/**
 * Returns the controls that match all words, the best match first. At least one word must occur in the name of the
 * control. With `useContext`, the other words may occur in names of groups around the control, or in headings.
 */
export function matchControls(page: PageNode, { words, roles, useContext }: ControlQuery): ControlMatch[] {
  if (words.length === 0) return [];
  const headings = getWords(
    nodesIn(page)
      .filter(({ role }) => role === 'heading')
      .map(({ name }) => name)
      .join(' '),
  );
  const fits = nodesIn(page)
    .filter(({ role, ref, parent }) => roles.includes(role) && (ref !== null || parent?.ref != null))
    .flatMap((node) => getFit(node, { words, context: useContext ? headings : null }));
  return fits.toSorted((a, b) => a.distance - b.distance);
}

function getFit(
  node: PageNode,
  { words, context }: { words: readonly string[]; context: readonly string[] | null },
): ControlMatch[] {
  const name = getWords(getName(node));
  const near = context === null ? [] : getWords(namesAround(node));
  const missing = words.filter((word) => !name.includes(word));
  if (missing.length === words.length) return [];
  const far = missing.filter((word) => !near.includes(word));
  if (far.some((word) => !context?.includes(word))) return [];
  const extra = name.filter((word) => !words.includes(word)).length;
  // The main word of a control comes first: "Premium, as Comfort" is not Comfort.
  const begins = words.includes(name[0] ?? '') ? 0 : 3;
  const off = node.flags.has('disabled') ? 50 : 0;
  return [{ node, distance: extra + begins + (missing.length - far.length) * 0.5 + far.length * 2 + off }];
}

/** Returns the name of a control; if it has none, its text. Empty for a text field without a name. */
export function getName(node: PageNode): string {
  if (node.name !== '') return node.name;
  return /^(?:textbox|searchbox|spinbutton|combobox)$/.test(node.role) ? '' : getText(node);
}

/** Returns the names of the groups, lists and similar parts of the page that contain a control. */
function namesAround(node: PageNode): string {
  return getAncestors(node)
    .filter(({ role, name }) => name !== '' && namedAround.test(role))
    .map(({ name }) => name)
    .join(' ');
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Converts the text of a table cell for comparisons: to a number for a date or an amount, otherwise to lower case. */
export function toComparable(text: string): number | string {
  const date = getDate(text);
  if (date !== null) return date;
  return getNumber(text) ?? text.trim().toLowerCase();
}

/**
 * Parses a number in English notation (`1,234.50`), with an optional unit before or after it. Returns null for any
 * other text.
 */
function getNumber(text: string): number | null {
  const found = /^[^\d-]{0,4}(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)\s*[^\d]{0,16}$/.exec(text.trim());
  return found === null ? null : Number((found[1] ?? '').replaceAll(',', ''));
}

/**
 * Parses a date such as `2026-05-12` (also with a time), `12 May 2026` or `12 May` and returns the days since 1970. A
 * date without a year counts as in 1970. Returns null for any other text.
 */
export function getDate(text: string): number | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}.*)?$/.exec(text.trim()) ?? [];
  if (year !== undefined) return days(Number(year), Number(month) - 1, Number(day));
  const worded = /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\.?\s+([a-z]{3})[a-z]*\.?(?:,?\s+(\d{4}))?$/i.exec(text.trim());
  const at = months.indexOf((worded?.[2] ?? '').toLowerCase());
  return worded === null || at < 0 ? null : days(Number(worded[3] ?? 1_970), at, Number(worded[1]));
}

function days(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / 86_400_000;
}
