/** Text of a seed that nothing else in the account carries: names by which a scenario finds its own things. */
export function uniqueText(seed: number, purpose: string): string {
  return `svc-check ${purpose} ${seed.toString(36)}-${Date.now().toString(36)}`;
}

/** One word that nothing else in the account says. */
export function wordOf(seed: number, purpose: string): string {
  return `${purpose}${seed.toString(36)}${Date.now().toString(36)}`;
}

/** The last character differs, so that a whole value can be told from one that was cut. */
export function textOfLength(length: number): string {
  return `${'x'.repeat(length - 1)}y`;
}
