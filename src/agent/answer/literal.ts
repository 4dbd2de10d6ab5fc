/** A JavaScript string literal; line separators are the one place where JSON and older JavaScript differ. */
export function literal(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
