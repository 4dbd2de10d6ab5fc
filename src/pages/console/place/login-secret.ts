/** The secret of a one-time link such as `#login=...`, or null. It stands behind the hash, which no browser sends to anybody. */
export function loginSecret(hash: string): string | null {
  return /^#login=([A-Za-z0-9_-]{20,100})$/.exec(hash)?.[1] ?? null;
}
