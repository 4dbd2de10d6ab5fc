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

interface Growing extends PageNode {
  url: string | null;
  readonly children: Growing[];
}

const LINE = /^( *)- (.*)$/;
const HEAD = /^(?<role>[a-z]+)(?: (?<name>"(?:[^"\\]|\\.)*"))?(?<flags>(?: \[[^\]]*\])*)(?:: ?(?<value>.*))?$/i;

/** Reads the outline of a page. Lines that it cannot read are left out; the root encloses everything. */
export function parseOutline(outline: string): PageNode {
  const root: Growing = empty(null);
  const open: { readonly indent: number; readonly node: Growing }[] = [{ indent: -1, node: root }];
  for (const line of outline.split('\n')) {
    const [, indent = '', rest = ''] = LINE.exec(line) ?? [];
    while (depthOf(open) >= indent.length) open.pop();
    const node = rest === '' ? null : addLine(rest, open.at(-1)?.node ?? root);
    if (node !== null) open.push({ indent: indent.length, node });
  }
  return root;
}

function depthOf(open: readonly { readonly indent: number }[]): number {
  return open.at(-1)?.indent ?? -1;
}

/** Adds what a line tells to its parent; null for what is no element. */
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
  const { role, name = '', flags = '', value = '' } = HEAD.exec(text)?.groups ?? {};
  if (role === undefined) return null;
  const read = new Map([...flags.matchAll(/\[([^[\]=]+)(?:=([^\]]*))?\]/g)].map(([, key = '', to = '']) => [key, to]));
  return { ...empty(parent), role, name: plain(name), value: plain(value), ref: read.get('ref') ?? null, flags: read };
}

/** A line that holds a colon stands in single quotation marks, as YAML has it. */
function unquoteKey(rest: string): string {
  const quoted = /^'((?:[^']|'')*)'(:.*)?$/s.exec(rest);
  return quoted === null ? rest : `${(quoted[1] ?? '').replaceAll("''", "'")}${quoted[2] ?? ''}`;
}

function plain(text: string): string {
  if (text.startsWith("'") && text.endsWith("'") && text.length > 1) return text.slice(1, -1).replaceAll("''", "'");
  if (!(text.startsWith('"') && text.endsWith('"') && text.length > 1)) return text;
  return text.slice(1, -1).replace(/\\(["\\/nt])/g, (_all, mark: string) => ({ n: '\n', t: '\t' })[mark] ?? mark);
}
