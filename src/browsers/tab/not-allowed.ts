/** Why a page was not shown, for the sentence of a TabError. */
export function notAllowed(address: string): string {
  return `it leads to ${URL.parse(address)?.host ?? address}, which is not one of the allowed domains`;
}

/** Why a secret was not typed, as the whole sentence of a TabError. */
export function notThere(field: string, address: string): string {
  const host = URL.parse(address)?.host ?? '';
  return `Could not type into "${field}": the page is of ${host === '' ? 'no host' : host}, where the secret may not be typed.`;
}
