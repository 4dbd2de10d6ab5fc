/** A time of a V2 task, which is UTC and does not say so. */
export function utc(naive: string): string {
  return /(Z|[+-]\d\d:\d\d)$/.test(naive) ? naive : `${naive}Z`;
}
