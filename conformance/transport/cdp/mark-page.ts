/** An expression that ends the address of a page in `#<mark>`: no navigation, so that no rule about schemes stands in its way. */
export function markPage(mark: string): string {
  return `location.hash = ${JSON.stringify(mark)}`;
}
