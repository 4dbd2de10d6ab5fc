/** True for an answer that speaks of money, rights or load and not of the request, and for no answer at all (0). */
export function isCapacity(status: number): boolean {
  return [0, 402, 403, 409, 429, 502, 503, 504].includes(status);
}
