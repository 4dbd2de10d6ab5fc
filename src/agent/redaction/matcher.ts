import { getPlaceholder } from './secrets.ts';

/**
 * A text to find. An occurrence of a bound pattern (`isBound`) counts only if `mayEnd` of the search accepts its end. A
 * bound pattern must be short.
 */
export interface Pattern {
  readonly text: string;
  readonly isBound: boolean;
}

/** Receives an occurrence: the index of its pattern and its range from `start` to `end` (excluded), in UTF-16 units. */
export type OnHit = (pattern: number, start: number, end: number) => void;

/** A search for many patterns in one pass over a text. */
export interface Matcher {
  /**
   * Reports occurrences in the order of their ends: for every end the longest free pattern (`isBound` false) and all
   * bound patterns. A shorter free pattern with the same end lies within the longest free pattern. Of equal patterns,
   * only the first is reported.
   */
  search(units: Uint16Array, onHit: OnHit, mayEnd: MayEnd): void;
}

/**
 * Returns whether an occurrence of a bound pattern ({@link Pattern}) that ends at `end` (excluded) counts. Called once
 * for each end at which a bound pattern was found, after the free pattern of that end was reported.
 */
export type MayEnd = (end: number) => boolean;

const root = 0;

const none = -1;

const firstMax = 128;

/**
 * Builds an Aho-Corasick automaton over UTF-16 units. Building takes time and about 24 bytes of memory per unit of all
 * patterns; a search takes linear time. Packages on npm either report every overlapping occurrence, which is quadratic
 * for nested patterns, or only non-overlapping ones. The latter leave a part of an overlapped value visible.
 */
export function createMatcher(patterns: readonly Pattern[]): Matcher {
  const automaton = new Automaton(patterns.reduce((sum, { text }) => sum + text.length, 1));
  for (const [index, { text, isBound }] of patterns.entries()) automaton.add(text, { index, isBound });
  automaton.link();
  return { search: (units, onHit, mayEnd) => automaton.search(units, onHit, mayEnd) };
}

/** Returns the UTF-16 units of a text. */
export function getUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

class Automaton {
  /** First child of each node. `#unit` has the unit that leads to this child; `#forks` has the further children. */
  readonly #child: Int32Array;
  readonly #unit: Uint16Array;
  readonly #forks = new Map<number, Map<number, number>>();
  /** Children of the root for ASCII units, indexed by unit. */
  readonly #first = new Int32Array(firstMax);
  readonly #depth: Int32Array;
  /** For each node, the node of the longest proper suffix of its text that is a prefix of a pattern. */
  readonly #suffix: Int32Array;
  /**
   * For each node, the end node of the longest free pattern that is a suffix of the node's text; NONE without such a
   * pattern. `#bound` is the same for bound patterns.
   */
  readonly #free: Int32Array;
  readonly #bound: Int32Array;
  readonly #freeAt = new Map<number, number>();
  readonly #boundAt = new Map<number, number>();
  #count = 1;

  constructor(nodesMax: number) {
    this.#child = new Int32Array(nodesMax).fill(none);
    this.#unit = new Uint16Array(nodesMax);
    this.#depth = new Int32Array(nodesMax);
    this.#suffix = new Int32Array(nodesMax);
    this.#free = new Int32Array(nodesMax).fill(none);
    this.#bound = new Int32Array(nodesMax).fill(none);
  }

  add(text: string, { index, isBound }: { readonly index: number; readonly isBound: boolean }): void {
    let node = root;
    for (let at = 0; at < text.length; at += 1) node = this.#grow(node, text.charCodeAt(at));
    const ends = isBound ? this.#boundAt : this.#freeAt;
    if (node !== root && !ends.has(node)) ends.set(node, index);
  }

  /** Links each node to its suffix node, in order of depth. */
  link(): void {
    for (const unit of this.#first.keys()) this.#first[unit] = Math.max(root, this.#next(root, unit));
    const queue = new Int32Array(this.#count);
    let last = 1;
    for (let first = 0; first < last; first += 1) {
      const node = queue[first] ?? root;
      this.#eachChild(node, (child, unit) => {
        const suffix = node === root ? root : this.#step(this.#suffix[node] ?? root, unit);
        this.#suffix[child] = suffix;
        this.#free[child] = this.#freeAt.has(child) ? child : (this.#free[suffix] ?? none);
        this.#bound[child] = this.#boundAt.has(child) ? child : (this.#bound[suffix] ?? none);
        queue[last] = child;
        last += 1;
      });
    }
  }

  search(units: Uint16Array, onHit: OnHit, mayEnd: MayEnd): void {
    let node = root;
    for (let at = 0; at < units.length; at += 1) {
      node = this.#step(node, units[at] ?? 0);
      if (node === root) continue;
      const free = this.#free[node] ?? none;
      if (free !== none) onHit(this.#freeAt.get(free) ?? none, at + 1 - (this.#depth[free] ?? 0), at + 1);
      if (this.#bound[node] !== none && mayEnd(at + 1)) this.#reportBound(node, at + 1, onHit);
    }
  }

  #reportBound(node: number, end: number, onHit: OnHit): void {
    let bound = this.#bound[node] ?? none;
    while (bound !== none) {
      onHit(this.#boundAt.get(bound) ?? none, end - (this.#depth[bound] ?? 0), end);
      bound = this.#bound[this.#suffix[bound] ?? root] ?? none;
    }
  }

  /** Returns the node of the longest suffix of the read text that is a prefix of a pattern. */
  #step(from: number, unit: number): number {
    let node = from;
    for (;;) {
      if (node === root && unit < firstMax) return this.#first[unit] ?? root;
      const next = this.#next(node, unit);
      if (next !== none) return next;
      if (node === root) return root;
      node = this.#suffix[node] ?? root;
    }
  }

  #next(node: number, unit: number): number {
    const child = this.#child[node] ?? none;
    if (child === none || this.#unit[node] === unit) return child;
    return this.#forks.size === 0 ? none : (this.#forks.get(node)?.get(unit) ?? none);
  }

  #grow(node: number, unit: number): number {
    const known = this.#next(node, unit);
    if (known !== none) return known;
    const child = this.#count;
    this.#count += 1;
    this.#depth[child] = (this.#depth[node] ?? 0) + 1;
    if (this.#child[node] === none) {
      this.#child[node] = child;
      this.#unit[node] = unit;
    } else {
      const fork = this.#forks.get(node) ?? new Map<number, number>();
      this.#forks.set(node, fork.set(unit, child));
    }
    return child;
  }

  #eachChild(node: number, visit: (child: number, unit: number) => void): void {
    const child = this.#child[node] ?? none;
    if (child === none) return;
    visit(child, this.#unit[node] ?? 0);
    for (const [unit, other] of this.#forks.get(node) ?? []) visit(other, unit);
  }
}

/** A range of a text, `end` excluded. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A range of a text that contains the value of a secret. */
export interface Span extends Place {
  readonly name: string;
}

/** A collection of disjoint spans in order. */
export interface Spans {
  /** Adds a span that ends at or after the end of the last span. Merges the new span with spans that it overlaps. */
  add(span: Span): void;
  readonly all: readonly Span[];
}

/**
 * Creates an empty collection of spans. Merged spans get the name of the first span; of spans with equal starts, the
 * name of the longest.
 */
export function createSpans(): Spans {
  const all: (Span & { readonly namedTo: number })[] = [];
  return {
    all,
    add(span) {
      let whole = { ...span, namedTo: span.end };
      for (let last = all.at(-1); last !== undefined && last.end > whole.start; last = all.at(-1)) {
        all.pop();
        const isNamedByLast = last.start < whole.start || (last.start === whole.start && last.namedTo >= whole.namedTo);
        const { name, namedTo } = isNamedByLast ? last : whole;
        whole = { name, namedTo, start: Math.min(last.start, whole.start), end: Math.max(last.end, whole.end) };
      }
      all.push(whole);
    },
  };
}

/** Merges the spans found in several decoded forms of a text into disjoint spans in order. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const inOrder = spans.toSorted((one, other) => one.end - other.end || one.start - other.start);
  const apart = createSpans();
  for (const span of inOrder) apart.add(span);
  return apart.all;
}

/**
 * Returns the spans except those that lie completely within one of `places`. Spans and places are sorted by their
 * starts.
 */
export function outside(places: readonly Place[], spans: readonly Span[]): Span[] {
  let next = 0;
  let reach = 0;
  return spans.filter(({ start, end }) => {
    for (let place = places[next]; place !== undefined && place.start <= start; place = places[next]) {
      reach = Math.max(reach, place.end);
      next += 1;
    }
    return end > reach;
  });
}

/** Replaces spans, which are disjoint and in order, by placeholders. */
export function replaced(text: string, spans: readonly Span[]): string {
  let from = 0;
  const shown: string[] = [];
  for (const { start, end, name } of spans) {
    shown.push(text.slice(from, start), getPlaceholder(name));
    from = end;
  }
  return [...shown, text.slice(from)].join('');
}
