/** Returns a path whose `{...}` is replaced by an id. */
export function pathWithId(path: string, id: string): string {
  return path.replace(/\{[^{}]*\}/, encodePart(id));
}

/** Encodes text of a target for a URL. An unpaired surrogate, which a URL cannot carry, becomes U+FFFD. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
