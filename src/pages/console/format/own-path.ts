/**
 * An address of this service as one below the page: where the page was opened at another name of the service than addresses are handed out with,
 * they lead back to it all the same. `depth` is the number of parts at the end that matter, such as 2 for live/TOKEN.
 */
export function ownPath(address: string, depth: number): string {
  const { pathname, search } = new URL(address);
  return `${pathname.split('/').slice(-depth).join('/')}${search}`;
}
