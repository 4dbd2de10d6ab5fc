/**
 * Returns an expression that appends `#<mark>` to the URL of a page. This is no navigation, so rules about schemes do
 * not apply.
 */
export function markPage(mark: string): string {
  return `location.hash = ${JSON.stringify(mark)}`;
}
