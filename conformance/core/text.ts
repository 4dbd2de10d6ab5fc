/** What makes a name unlike every other in the account: the seed of the run, and the word that no other run has. */
export interface NameParts {
  seed: number;
  stamp: string;
}

/** Text that nothing else in the account carries: names by which a scenario finds its own things. */
export function uniqueText({ seed, stamp }: NameParts, purpose: string): string {
  return `svc-check ${purpose} ${seed.toString(36)}-${stamp}`;
}

/** One word that nothing else in the account says. */
export function uniqueWord({ seed, stamp }: NameParts, purpose: string): string {
  return `${purpose}${seed.toString(36)}${stamp}`;
}

/** The last character differs, so that a whole value can be told from one that was cut. */
export function textOfLength(length: number): string {
  return `${'x'.repeat(length - 1)}y`;
}
