import type { Exchange } from '../../core/exchange.ts';

/** What in an answer keeps a page from being framed by any other; undefined when nothing does. */
export function framingRefusal({ headers }: Exchange): string | undefined {
  const options = headers['x-frame-options'];
  if (options !== undefined && /deny|sameorigin/i.test(options)) return `X-Frame-Options: ${options}`;
  const ancestors = /frame-ancestors([^;]*)/i.exec(headers['content-security-policy'] ?? '')?.[1]?.trim();
  if (ancestors === undefined || ancestors.includes('*') || /https?:/.test(ancestors)) return undefined;
  return `Content-Security-Policy: frame-ancestors ${ancestors}`;
}
