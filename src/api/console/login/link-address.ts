import { stripEnd } from '#lib/trim-end.ts';

/** The address of a one-time link. The secret stands behind the hash, which no browser sends and no log shows. */
export function linkAddress(base: string, secret: string): string {
  return `${stripEnd(base, /\//)}/#login=${secret}`;
}
