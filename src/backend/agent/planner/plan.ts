/** What can be read from a page. */
const READINGS = ['title', 'headings', 'links', 'tables', 'text', 'url'] as const;

/** One thing that can be read from a page. */
export type Reading = (typeof READINGS)[number];

/** One thing to do. */
export type Action =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'click'; readonly name: string }
  | { readonly kind: 'type'; readonly field: string; readonly text: string }
  | { readonly kind: 'press'; readonly key: string }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'read'; readonly what: Reading }
  | { readonly kind: 'say'; readonly text: string };

/** What a goal means, or the first part of it that has no meaning here. */
export type Plan =
  | { readonly kind: 'understood'; readonly actions: readonly Action[] }
  | { readonly kind: 'unclear'; readonly part: string };
