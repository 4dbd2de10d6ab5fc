import { type ElementFacts, TabError } from '#browsers/tab/tab.ts';
import { getAncestors, getText, type PageNode } from '../page-node.ts';
import { getLabel, normal, type PageView } from './page-view.ts';
import type { Marks } from './template.ts';

/** Properties by which a replay recognises an element. Inputs of the task are replaced by marks. */
export interface Evidence {
  readonly role: string;
  /** Accessible name, or the text of an element without one. */
  readonly name: string;
  /** Origin and path of the document that contains the element, with `#` in place of numbers. */
  readonly page: string;
  /** Tag and type, as in `input:email`. */
  readonly kind: string;
  /** The URL of a link, or method, URL and field name of a control in a form; null for other elements. */
  readonly target: string | null;
  /** Named groups around the element, the nearest first: the row of a table with its text, a dialog, a form. */
  readonly within: readonly string[];
  /** The last heading before the element; null without a heading. */
  readonly under: string | null;
}

/** Function that describes an element of the latest snapshot, given the reference of the element. */
export type Describe = (ref: string) => Promise<ElementFacts>;

/** An element of a page, and the properties that identify it. */
export interface Candidate {
  readonly ref: string;
  readonly evidence: Evidence;
}

/** Dependencies of a search for an element: the page, its marks, and a function that describes elements. */
export interface Search {
  readonly page: PageView;
  readonly marks: Marks;
  readonly describe: Describe;
}

/**
 * Maximum number of elements with one role and name that are compared. If the page has more, only those at the recorded
 * place are compared. If these are still too many, the search finds nothing.
 */
const comparedMax = 20;

/** Result of a search: the reference of the only matching element, or the reason why there is no such element. */
export type Found = { readonly ref: string } | { readonly reason: string };

/** Collects the identifying properties of an element; null for an element that is not on the page. */
export async function collectEvidence(search: Search, ref: string): Promise<Evidence | null> {
  const node = search.page.nodes.find((one) => one.ref === ref);
  if (node === undefined) return null;
  return (await describeNodes(search, [node]))[0]?.evidence ?? null;
}

/**
 * Finds the only element with the recorded role, name, document, kind and target. If no target was recorded, or several
 * elements have the target, the place on the page must be equal too. If several links to another document match,
 * returns the first.
 */
export async function findElement(search: Search, wanted: Evidence): Promise<Found> {
  const found = await findFitting(search, wanted);
  if ('reason' in found) return found;
  const [first, ...others] = found.fitting;
  if (others.length > 0 && !leadsAway(wanted))
    return { reason: `found ${others.length + 1} of ${elementText(wanted)}, expected one` };
  return { ref: first.ref };
}

/** Returns whether recorded properties match one element of the page and no other. */
export async function identifies(search: Search, evidence: Evidence, ref: string): Promise<boolean> {
  const found = await findFitting(search, evidence);
  return 'fitting' in found && found.fitting.length === 1 && found.fitting[0].ref === ref;
}

/** Returns whether a link leads to another document. False for a link within its page, which may act as a button. */
function leadsAway({ role, page, target }: Evidence): boolean {
  if (role !== 'link' || target === null || target.includes('#')) return false;
  return /^(?:@|https?:)/.test(target) && target !== page;
}

function elementText({ role, name }: Evidence): string {
  return `${role} "${name}"`;
}

/** Elements that match the recorded properties, in the order of the page; or why no element matches. */
type Fitting = { readonly fitting: readonly [Candidate, ...Candidate[]] } | { readonly reason: string };

async function findFitting(search: Search, wanted: Evidence): Promise<Fitting> {
  const named = search.page.nodes.filter(
    (node) => node.ref !== null && node.role === wanted.role && search.marks.mark(getLabel(node)) === wanted.name,
  );
  const what = elementText(wanted);
  if (named.length === 0) return { reason: `found no ${what}, expected one` };
  const near = named.length > comparedMax ? named.filter((one) => isSamePlace(getPlace(search, one), wanted)) : named;
  if (near.length > comparedMax) return { reason: `found ${near.length} of ${what}, expected one` };
  const all = (await describeNodes(search, near)).filter(
    ({ evidence }) => evidence.page === wanted.page && evidence.kind === wanted.kind,
  );
  if (all.length === 0) return { reason: `found ${what} in another document, expected it on ${wanted.page}` };
  const fitting = wanted.target === null ? withoutTarget(all, wanted) : withTarget(all, wanted);
  const [only, ...others] = fitting;
  if (only === undefined) return { reason: `found ${what} elsewhere, expected it at ${placeText(wanted)}` };
  return { fitting: [only, ...others] };
}

function withoutTarget(all: readonly Candidate[], wanted: Evidence): Candidate[] {
  return all.filter(({ evidence }) => evidence.target === null && isSamePlace(evidence, wanted));
}

function withTarget(all: readonly Candidate[], wanted: Evidence): Candidate[] {
  const exact = all.filter(({ evidence }) => evidence.target === wanted.target);
  return exact.length === 1 ? exact : exact.filter(({ evidence }) => isSamePlace(evidence, wanted));
}

/** Replaces numbers by `#`, except in marks. */
function maskNumbers(text: string): string {
  return text.replaceAll(/@\{\{[^}]*\}\}|\d+/g, (found) => (found.startsWith('@') ? found : '#'));
}

/**
 * Returns whether two elements are in the same row or item. If both are outside of rows and items, returns whether they
 * are under the same heading or in the same group, or both without heading and group.
 */
export function isSamePlace(one: Place, other: Place): boolean {
  const [row, otherRow] = [rowIn(one), rowIn(other)];
  if (row !== otherRow) return false;
  if (row !== undefined) return true;
  if (!hasPlace(one) && !hasPlace(other)) return true;
  return (one.under !== null && one.under === other.under) || one.within.some((group) => other.within.includes(group));
}

/** Returns whether an element is in a named group or below a heading, so that its surroundings can identify it. */
export function hasPlace({ within, under }: Place): boolean {
  return within.length > 0 || under !== null;
}

function rowIn({ within }: Place): string | undefined {
  return within.find((group) => rowPattern.test(group));
}

function placeText({ within, under, page }: Evidence): string {
  return [...within.slice(0, 1), ...(under === null ? [] : [`the heading "${under}"`]), page].join(', ');
}

const rowPattern = /^(?:row|listitem|article|treeitem)\b/;
const groupPattern = /^(?:region|form|group|radiogroup|dialog|alertdialog|navigation|search|tabpanel|table|figure)$/;
const withinMax = 4;
const placeMax = 200;

/** Describes elements in order; omits elements without a reference and those that left the page. */
export async function describeNodes(search: Search, nodes: readonly PageNode[]): Promise<Candidate[]> {
  const candidates = await Promise.all(nodes.map((node) => describeNode(search, node)));
  return candidates.filter((one) => one !== null);
}

async function describeNode(search: Search, node: PageNode): Promise<Candidate | null> {
  const { marks, describe } = search;
  const facts = node.ref === null ? null : await described(describe, node.ref);
  if (facts === null || node.ref === null) return null;
  const evidence: Evidence = {
    role: node.role,
    name: marks.mark(getLabel(node)),
    page: addressPattern(facts.address, marks),
    kind: facts.kind,
    target: facts.target === null ? null : marks.mark(facts.target),
    ...getPlace(search, node),
  };
  return { ref: node.ref, evidence };
}

/** Place of an element on its page. */
type Place = Pick<Evidence, 'within' | 'under'>;

function getPlace({ page, marks }: Search, node: PageNode): Place {
  return { within: groupsAround(node, marks), under: headingBefore(page, node, marks) };
}

async function described(describe: Describe, ref: string): Promise<ElementFacts | null> {
  try {
    return await describe(ref);
  } catch (error) {
    if (error instanceof TabError) return null;
    throw error;
  }
}

/**
 * Returns origin and path of an HTTP URL with marks, and with `#` in place of other numbers of the path. Returns only
 * the scheme of any other URL.
 */
function addressPattern(address: string, marks: Marks): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return address.slice(0, address.indexOf(':') + 1);
  return `${marks.mark(url.origin)}${maskNumbers(marks.mark(url.pathname))}`.slice(0, placeMax);
}

function groupsAround(node: PageNode, marks: Marks): string[] {
  const groups = getAncestors(node).flatMap(({ role, name, ...rest }) => {
    const text = name === '' && rowPattern.test(role) ? getText({ role, name, ...rest }) : name;
    const isNamed = text !== '' && (rowPattern.test(role) || groupPattern.test(role));
    return isNamed ? [marks.mark(`${role} ${normal(text)}`.slice(0, placeMax))] : [];
  });
  return groups.slice(0, withinMax);
}

function headingBefore({ nodes }: PageView, node: PageNode, marks: Marks): string | null {
  const at = nodes.indexOf(node);
  const heading = nodes.slice(0, at).findLast(({ role }) => role === 'heading');
  return heading === undefined ? null : marks.mark(getLabel(heading)).slice(0, placeMax);
}
