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
  | { readonly kind: 'say'; readonly text: string }
  /** Null for every file that was attached to the task. */
  | { readonly kind: 'readFile'; readonly name: string | null }
  | { readonly kind: 'listFiles'; readonly which: 'all' | 'attached' }
  /** Null for what was read last. */
  | { readonly kind: 'writeFile'; readonly name: string; readonly text: string | null }
  /** Null for the only file input of the page. */
  | { readonly kind: 'upload'; readonly name: string; readonly field: string | null }
  | { readonly kind: 'download'; readonly name: string };

/** What a goal means, or the first part of it that has no meaning here. */
export type Plan =
  | { readonly kind: 'understood'; readonly actions: readonly Action[] }
  | { readonly kind: 'unclear'; readonly part: string };
