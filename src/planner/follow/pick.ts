import type { ControlMatch } from '../page/controls.ts';
import { getAncestors, type PageNode, getText } from '#agent/page-node.ts';
import { getName } from '../page/controls.ts';
import { impossibleAction, getNode, type Walker } from './walker.ts';

/**
 * Returns the best matching control; of equal matches, the nearest to the last used control, or else the only button.
 * Links to one URL count as one. Null without a match; throws a TabError when several controls remain.
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

/** Returns the number of elements that enclose both nodes. */
function sharedDepth(a: PageNode, b: PageNode): number {
  const ofB = new Set([b, ...getAncestors(b)]);
  return getAncestors(a).filter((node) => ofB.has(node)).length;
}

/** Returns the smallest part of the page around a node that satisfies `shows`; null if only the whole page does. */
export function enclosing(node: PageNode, shows: (text: string) => boolean): PageNode | null {
  return getAncestors(node).find((each) => each.parent !== null && shows(getText(each))) ?? null;
}

/** Returns the name of a control, or its role if it has no name. */
export function getControlName(node: PageNode): string {
  return getName(node) || node.role;
}
