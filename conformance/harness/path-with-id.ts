/** A path whose `{...}` is replaced by an id. */
export function pathWithId(path: string, id: string): string {
  return path.replace(/\{[^{}]*\}/, encodeURIComponent(id));
}
