import { readFileSync } from 'node:fs';
import type { Rewrite } from './drifting-site.ts';

/** Kinds of page changes. Each is a change that a site may make between two runs. */
export const drifts = [
  'classes',
  'wrapped',
  'moved-navigation',
  'moved-buttons',
  'reordered-fields',
  'reordered-lists',
  'relabelled-buttons',
  'relabelled-links',
  'relabelled-fields',
  'headings',
  'counters',
  'duplicates',
  'decoy-buttons',
  'decoy-links',
  'decoy-fields',
  'replaced-buttons',
  'language',
  'delay',
  'banner',
  'variant-layout',
] as const;

/** Name of a kind of page change. */
export type Drift = (typeof drifts)[number];

const script = readFileSync(new URL('drift-page.js', import.meta.url), 'utf8');

/**
 * Returns a function that inserts a script at the beginning of HTML replies. The script makes this kind of page change,
 * and reports which elements are used. For null, it only reports.
 */
export function driftRewrite(drift: Drift | null): Rewrite {
  const inserted = `<script>${script.replace("'KIND'", JSON.stringify(drift ?? 'none'))}</script>`;
  return (reply) => {
    if (!(reply.headers['content-type'] ?? '').startsWith('text/html')) return reply;
    const at = reply.body.indexOf('<head>');
    const end = at < 0 ? 0 : at + '<head>'.length;
    return { ...reply, body: `${reply.body.slice(0, end)}${inserted}${reply.body.slice(end)}` };
  };
}

/** Returns the labels that an element can have after a page change. */
export function driftedLabel(drift: Drift | null, label: string): readonly string[] {
  if (drift === 'language') return [label.replaceAll(/\p{L}+/gu, (word) => Array.from(word).toReversed().join(''))];
  if (drift === 'counters') return [`${label} (3)`, label];
  return drift?.startsWith('relabelled') === true ? [`Please ${label}`, label] : [label];
}
