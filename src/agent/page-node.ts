/** An element of a page's outline, with its children. */
export interface PageNode {
  /** Role such as `button`; `text` for plain text. */
  readonly role: string;
  readonly name: string;
  /** Text after the colon of the outline: the value of a field, the text of a paragraph. */
  readonly value: string;
  /** Reference of the element; null if the outline contains none. */
  readonly ref: string | null;
  /** Attributes in brackets, such as `checked` or `disabled`; `level=1` has the name `level` and the value `1`. */
  readonly flags: ReadonlyMap<string, string>;
  /** URL of a link as written by the page; null for other elements. */
  readonly url: string | null;
  readonly parent: PageNode | null;
  readonly children: readonly PageNode[];
}

/** Returns a node and its descendants in document order. */
export function nodesIn(node: PageNode): PageNode[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

/** Returns the ancestors of a node, the nearest first. */
export function getAncestors(node: PageNode): PageNode[] {
  return node.parent === null ? [] : [node.parent, ...getAncestors(node.parent)];
}

/** Returns the text of a node on one line, without unselected options of lists. */
export function getText(node: PageNode): string {
  if (node.role === 'option' && !node.flags.has('selected')) return '';
  const own = node.name === '' || node.children.some(({ role }) => role !== 'text') ? [] : [node.name];
  const inside = node.children.map(getText).filter((text) => text !== '');
  const said = node.value === node.name ? [] : [node.value];
  const named = inside.length === 0 && node.name !== '' ? [node.name] : own;
  const all = [...named.filter((name) => !inside.join(' ').includes(name)), ...said, ...inside];
  return all
    .filter((text) => text !== '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

interface Growing extends PageNode {
  url: string | null;
  readonly children: Growing[];
}

const linePattern = /^( *)- (.*)$/;
const headPattern = /^(?<role>[a-z]+)(?: (?<name>"(?:[^"\\]|\\.)*"))?(?<flags>(?: \[[^\]]*\])*)(?:: ?(?<value>.*))?$/i;

/** Parses an outline and skips unknown lines. Returns a root node that contains all elements. */
export function parseOutline(outline: string): PageNode {
  const root: Growing = empty(null);
  const open: { readonly indent: number; readonly node: Growing }[] = [{ indent: -1, node: root }];
  for (const line of outline.split('\n')) {
    const [, indent = '', rest = ''] = linePattern.exec(line) ?? [];
    while (getDepth(open) >= indent.length) open.pop();
    const node = rest === '' ? null : addLine(rest, open.at(-1)?.node ?? root);
    if (node !== null) open.push({ indent: indent.length, node });
  }
  return root;
}

function getDepth(open: readonly { readonly indent: number }[]): number {
  return open.at(-1)?.indent ?? -1;
}

/**
 * Adds the element or attribute of a line to its parent. Returns the element; null for an attribute and for an unknown
 * line.
 */
function addLine(rest: string, parent: Growing): Growing | null {
  if (rest.startsWith('/url:')) parent.url = plain(rest.slice(5).trim());
  const node = rest.startsWith('/') ? null : readNode(unquoteKey(rest), parent);
  if (node !== null) parent.children.push(node);
  return node;
}

function empty(parent: PageNode | null): Growing {
  return { role: 'page', name: '', value: '', ref: null, flags: new Map(), url: null, parent, children: [] };
}

function readNode(text: string, parent: PageNode): Growing | null {
  const { role, name = '', flags = '', value = '' } = headPattern.exec(text)?.groups ?? {};
  if (role === undefined) return null;
  const read = new Map([...flags.matchAll(/\[([^[\]=]+)(?:=([^\]]*))?\]/g)].map(([, key = '', to = '']) => [key, to]));
  return { ...empty(parent), role, name: plain(name), value: plain(value), ref: read.get('ref') ?? null, flags: read };
}

/** Removes the YAML quotation marks around the text of a line, or around the part before its colon. */
function unquoteKey(rest: string): string {
  const quoted = /^'((?:[^']|'')*)'(:.*)?$/s.exec(rest);
  return quoted === null ? rest : `${(quoted[1] ?? '').replaceAll("''", "'")}${quoted[2] ?? ''}`;
}

function plain(text: string): string {
  if (text.startsWith("'") && text.endsWith("'") && text.length > 1) return text.slice(1, -1).replaceAll("''", "'");
  if (!(text.startsWith('"') && text.endsWith('"') && text.length > 1)) return text;
  return text.slice(1, -1).replace(/\\(["\\/nt])/g, (_all, mark: string) => ({ n: '\n', t: '\t' })[mark] ?? mark);
}
