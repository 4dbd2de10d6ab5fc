const made = 'unnamed-';

/** The id of a call to which the provider gave none: its place among the calls of its answer. */
export function makeId(index: number): string {
  return `${made}${index}`;
}

/** Whether an id is the provider's own, which it wants to see again. */
export function isGivenId(id: string): boolean {
  return !id.startsWith(made);
}
