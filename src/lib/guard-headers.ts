/**
 * What every answer says that says nothing else: it is what its type says, nobody keeps it, it loads and runs nothing, nobody
 * frames it, and nobody is told where its reader was. A page with needs of its own has headers of its own.
 */
export const guardHeaders: ReadonlyMap<string, string> = new Map([
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'no-store'],
]);
