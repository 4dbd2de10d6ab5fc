/**
 * An address as it may stand in a log: without its query, which can carry a signature, and without the token of a live view or
 * of a browser, which is a right by itself.
 */
export function shownPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.replace(/^\/(live|devtools\/browser)\/[^/]+/, '/$1/…');
}
