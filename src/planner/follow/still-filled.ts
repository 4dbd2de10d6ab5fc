import { nodesIn, type PageNode } from '../page/page-node.ts';
import { shortened } from '../shortened.ts';
import { holdsValue } from './enter.ts';
import { called } from './pick.ts';
import { cannot, type Walker } from './walker.ts';

/** Sees that the page still holds what was entered, before it is sent: a list that is chosen from may have emptied another one. */
export function seeStillFilled(walker: Walker): void {
  const latest = new Map(walker.filled.map(({ field, value }) => [field, value]));
  for (const [field, value] of latest) {
    const nodes = nodesIn(walker.page()).filter((node) => called(node) === field && node.ref !== null);
    const lost = nodes.length > 0 && !nodes.some((node) => isSo(node, value));
    if (lost) throw cannot(`"${shortened(field)}" does not hold any more what I entered.`);
  }
}

function isSo(node: PageNode, value: string | boolean): boolean {
  // Of buttons that exclude each other the last one counts, and another field says which that is.
  if (node.role === 'radio') return true;
  if (typeof value === 'boolean') return node.flags.has('checked') === value;
  const chosen = nodesIn(node).filter(({ role, flags }) => role === 'option' && flags.has('selected'));
  return chosen.length > 0 ? chosen.some(({ name }) => name === value) : holdsValue(node, value);
}
