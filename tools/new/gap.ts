/** A place in a data file where somebody has to decide; `npm run generate` refuses a file that has one. */
export function gap(what: string): string {
  return `"<fill in: ${what}>"`;
}
