const ADDRESS = /^\/devtools\/browser\/([A-Za-z0-9_-]{1,128})\/?$/;

/** The token in the path of a DevTools websocket address, whatever its query says; null for any other path. */
export function tokenOf(url: string | undefined): string | null {
  const [path = ''] = (url ?? '').split('?', 1);
  return ADDRESS.exec(path)?.[1] ?? null;
}
