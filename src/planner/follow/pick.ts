import type { ControlMatch } from '../page/controls.ts';
import { getAncestors, type PageNode, getText } from '#agent/page-node.ts';
import { getName } from '../page/controls.ts';
import { impossibleAction, getNode, type Walker } from './walker.ts';

/**
 * Returns the best of the matching controls. Several links to the same URL count as one. Of equally good controls,
 * returns the nearest to the last used control, or else the only button. Returns null without a match; throws a
 * TabError if several controls remain.
 */
export function pick(walker: Walker, fits: readonly ControlMatch[], what: string): PageNode | null {
  const [best] = fits;
  if (best === undefined) return null;
  const equals = fits.filter(({ distance }) => distance === best.distance).map(({ node }) => node);
  if (equals.length === 1 || haveOneTarget(equals)) return best.node;
  const touched = getNode(walker.page(), walker.touched);
  const depths = equals.map((node) => (touched === undefined ? 0 : sharedDepth(node, touched)));
  const deepest = Math.max(...depths);
  const nearest = equals.filter((_node, at) => depths[at] === deepest);
  const [only] = nearest;
  if (only !== undefined && (nearest.length === 1 || haveOneTarget(nearest))) return only;
  const buttons = nearest.filter(({ role }) => role === 'button');
  if (buttons.length === 1) return buttons[0] ?? null;
  throw impossibleAction(`There are ${nearest.length} of "${what}" on the page, and I cannot tell which is meant.`);
}

function haveOneTarget(nodes: readonly PageNode[]): boolean {
  const [first] = nodes;
  return first?.url != null && nodes.every(({ url, role }) => url === first.url && role === first.role);
}

/**
 * Returns how many ancestors of `a` are `b` or an ancestor of `b`: a measure of how close both nodes are in the page.
 */
function sharedDepth(a: PageNode, b: PageNode): number {
  const ofB = new Set([b, ...getAncestors(b)]);
  return getAncestors(a).filter((node) => ofB.has(node)).length;
}

/**
 * Returns the smallest part of the page around a node whose text satisfies `shows`. Returns null if no part does except
 * the whole page.
 */
export function enclosing(node: PageNode, shows: (text: string) => boolean): PageNode | null {
  return getAncestors(node).find((each) => each.parent !== null && shows(getText(each))) ?? null;
}

/** Returns the name of a control, or its role if it has no name. */
export function getControlName(node: PageNode): string {
  return getName(node) || node.role;
}
