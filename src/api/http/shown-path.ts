const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;
const ENCODED = /%([0-9a-f]{2})/gi;
const TOKEN_ROUTE = /^\/(live|share|devtools\/browser)\/[^/]+/i;
/** What an unguessable token looks like; ids, which are no secret, do too. */
const TOKEN = /[A-Za-z0-9_-]{20,}/g;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * An address as it may stand in a log: without its query, which can carry a signature, and without the token of a live view, of
 * a share or of a browser, which is a right by itself. It is brought to its plain spelling first, because a token is one in every spelling:
 * without origin, percent-encoding and doubled slashes. Never throws.
 */
export function shownPath(url: string): string {
  const [path = ''] = decoded(url.replace(ORIGIN, '')).split(/[?#]/, 1);
  const plain = path.replaceAll(/\/{2,}/g, '/');
  return plain.replace(TOKEN_ROUTE, '/$1/…').replaceAll(TOKEN, (text) => (UUID.test(text) ? text : '…'));
}

/** Decodes until nothing is encoded any more; each round is shorter than the one before. */
function decoded(text: string): string {
  const once = text.replaceAll(ENCODED, (_whole, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return once === text ? text : decoded(once);
}
