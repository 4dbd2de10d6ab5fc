/** An element of a page as its outline names it, with what is inside of it. */
export interface PageNode {
  /** Such as `button`; `text` for bare text. */
  readonly role: string;
  readonly name: string;
  /** What its outline says behind the colon: the value of a field, the text of a paragraph. */
  readonly value: string;
  /** Null for what cannot be worked on. */
  readonly ref: string | null;
  /** Words in brackets, such as `checked` or `disabled`; `level=1` under `level`. */
  readonly flags: ReadonlyMap<string, string>;
  /** Where a link leads, as the page has written it. */
  readonly url: string | null;
  readonly parent: PageNode | null;
  readonly children: readonly PageNode[];
}

/** A node and everything in it, in the order of the page. */
export function nodesIn(node: PageNode): PageNode[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

/** What encloses a node, the nearest first. */
export function around(node: PageNode): PageNode[] {
  return node.parent === null ? [] : [node.parent, ...around(node.parent)];
}

/** Everything that a node shows, on one line; the options of a list that are not chosen are left out. */
export function textOf(node: PageNode): string {
  if (node.role === 'option' && !node.flags.has('selected')) return '';
  const own = node.name === '' || node.children.some(({ role }) => role !== 'text') ? [] : [node.name];
  const inside = node.children.map(textOf).filter((text) => text !== '');
  const said = node.value === node.name ? [] : [node.value];
  const named = inside.length === 0 && node.name !== '' ? [node.name] : own;
  const all = [...named.filter((name) => !inside.join(' ').includes(name)), ...said, ...inside];
  return all
    .filter((text) => text !== '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
