import { withoutEnd } from '#lib/without-end.ts';

/** What OTLP over HTTP appends to the address of a collector. */
const path = '/v1/traces';

/** Where spans are sent to: below the address of a collector, or exactly there where the path of traces stands in it already. */
export function collectorAddress(url: string): string {
  const base = withoutEnd(url, /\//);
  return base.endsWith(path) ? base : base + path;
}
