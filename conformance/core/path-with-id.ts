/** A path whose `{...}` is replaced by an id. */
export function pathWithId(path: string, id: string): string {
  return path.replace(/\{[^{}]*\}/, encodePart(id));
}

/** Encodes text of a target for an address. Half of a pair of surrogates, which no address can carry, becomes U+FFFD. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
