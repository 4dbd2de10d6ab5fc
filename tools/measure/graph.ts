/** A directed graph: each node with the nodes to which its edges lead. Edges to nodes that are not keys are ignored. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** State of one depth-first search (Tarjan's algorithm). */
interface Search {
  readonly graph: Graph;
  readonly index: Map<string, number>;
  readonly low: Map<string, number>;
  readonly stack: string[];
  readonly onStack: Set<string>;
  readonly components: string[][];
}

/** Returns the strongly connected components of a graph that have more than one node, the largest first. */
export function findCycles(graph: Graph): string[][] {
  const search: Search = {
    graph,
    index: new Map(),
    low: new Map(),
    stack: [],
    onStack: new Set(),
    components: [],
  };
  for (const node of graph.keys()) if (!search.index.has(node)) visit(node, search);
  return search.components.filter(({ length }) => length > 1).toSorted((a, b) => b.length - a.length);
}

function visit(node: string, search: Search): void {
  const at = search.index.size;
  search.index.set(node, at);
  search.low.set(node, at);
  search.stack.push(node);
  search.onStack.add(node);
  for (const target of search.graph.get(node) ?? []) {
    if (!search.graph.has(target)) continue;
    if (!search.index.has(target)) {
      visit(target, search);
      lower(node, search.low.get(target), search);
    } else if (search.onStack.has(target)) lower(node, search.index.get(target), search);
  }
  if (search.low.get(node) === at) search.components.push(takeComponent(node, search));
}

function lower(node: string, value: number | undefined, { low }: Search): void {
  low.set(node, Math.min(low.get(node) ?? 0, value ?? 0));
}

function takeComponent(node: string, { stack, onStack }: Search): string[] {
  const component = stack.splice(stack.lastIndexOf(node));
  for (const member of component) onStack.delete(member);
  return component;
}

/**
 * Returns the graph of the folders directly below `root`. An edge from one folder to another means that a node in the
 * first has an edge to a node in the second. Leaves out files directly in `root`, nodes outside of `root`, and edges
 * within one folder.
 */
export function folderGraph(graph: Graph, root: string): Graph {
  const folders = new Map<string, Set<string>>();
  const getFolder = (path: string): string | undefined => {
    if (!path.startsWith(`${root}/`)) return undefined;
    const [first = '', second] = path.slice(root.length + 1).split('/');
    return second === undefined ? undefined : first;
  };
  for (const [node, targets] of graph) {
    const folder = getFolder(node);
    if (folder === undefined) continue;
    const edges = folders.get(folder) ?? new Set();
    folders.set(folder, edges);
    for (const target of targets) {
      const other = getFolder(target);
      if (other !== undefined && other !== folder) edges.add(other);
    }
  }
  return folders;
}
