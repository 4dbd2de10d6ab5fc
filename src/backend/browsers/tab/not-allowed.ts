/** Why a page was not shown, for the sentence of a TabError. */
export function notAllowed(address: string): string {
  return `it leads to ${URL.parse(address)?.host ?? address}, which is not one of the allowed domains`;
}
