import { placeholderOf } from './placeholder.ts';

/** A part of a text, `end` excluded. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A part of a text where the value of a secret stands. */
export interface Span extends Place {
  readonly name: string;
}

/** Spans that are apart from each other, in order. */
export interface Spans {
  /** Adds a span that ends where the last one ends or behind it. Those that it overlaps become one span with it. */
  add(span: Span): void;
  readonly all: readonly Span[];
}

/** Creates an empty collection of spans. Overlapping spans get the name of the first, and of those from one place that of the longest. */
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

/** Merges spans of several readings into spans that are apart from each other, in order. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const inOrder = spans.toSorted((one, other) => one.end - other.end || one.start - other.start);
  const apart = createSpans();
  for (const span of inOrder) apart.add(span);
  return apart.all;
}

/** Returns the spans that lie in none of some places. Both are in the order of their starts. */
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

/** Returns the text with placeholders in place of spans, which are in order and apart from each other. */
export function replaced(text: string, spans: readonly Span[]): string {
  let from = 0;
  const shown: string[] = [];
  for (const { start, end, name } of spans) {
    shown.push(text.slice(from, start), placeholderOf(name));
    from = end;
  }
  return [...shown, text.slice(from)].join('');
}
