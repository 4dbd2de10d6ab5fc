/** Returns a path in which the encoded id replaces the first `{...}`. */
export function pathWithId(path: string, id: string): string {
  return path.replace(/\{[^{}]*\}/, encodePart(id));
}

/** Encodes text of a target for a URL. An unpaired surrogate, which a URL cannot carry, becomes U+FFFD. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
