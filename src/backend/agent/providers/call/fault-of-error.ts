import type { Fault } from './fault.ts';

/** Names of what happens before a connection stands. */
const unreachable = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * What an error of `fetch` means: that nobody was reached, that certificates did not convince, or that the connection was cut, before an
 * answer or within it.
 */
export function kindOfError(error: unknown): Fault['kind'] {
  const codes = codesOf(error);
  if (codes.some((code) => unreachable.includes(code) || /CERT|TLS|SSL/.test(code))) return 'unreachable';
  if (codes.some((code) => /UND_ERR_(?:HEADERS|BODY)_TIMEOUT/.test(code))) return 'timeout';
  return 'cut-off';
}

/** The codes of an error, of its causes and of what it is made of, where several addresses were tried. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [...own, ...codesOf(error.cause), ...parts.flatMap(codesOf)];
}
