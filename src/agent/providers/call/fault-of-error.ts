import type { Fault } from './fault.ts';

/** Codes of errors of `fetch`, by what they mean. Of an error without any of them nobody was reached: names, ports, certificates. */
const meanings: readonly { readonly codes: RegExp; readonly kind: Fault['kind'] }[] = [
  { codes: /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/, kind: 'timeout' },
  { codes: /^(?:HPE_|Z_|ERR__?BROTLI|ERR__ERROR_)/, kind: 'garbled' },
  {
    codes: /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|UND_ERR_ABORTED)$/,
    kind: 'cut-off',
  },
];

/** What an error of `fetch` means: that nobody was reached, or that the connection was cut, before an answer or within it. */
export function kindOfError(error: unknown): Fault['kind'] {
  const codes = codesOf(error);
  const known = meanings.find((row) => codes.some((code) => row.codes.test(code)));
  return known?.kind ?? 'unreachable';
}

/** The codes of an error, of its causes and of what it is made of, where several addresses were tried. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [...own, ...codesOf(error.cause), ...parts.flatMap(codesOf)];
}
