/** A place in a data file that still has to be filled in; `npm run generate` refuses a file that contains one. */
export function gap(what: string): string {
  return `"<fill in: ${what}>"`;
}
