/** The seed and the tag of a run, which become part of unique names. */
export interface NameParts {
  seed: number;
  stamp: string;
}

/** Returns a text that is unique in the account, by which a scenario finds its own resources. */
export function uniqueText({ seed, stamp }: NameParts, purpose: string): string {
  return `svc-check ${purpose} ${seed.toString(36)}-${stamp}`;
}

/** Returns one word that is unique in the account. */
export function uniqueWord({ seed, stamp }: NameParts, purpose: string): string {
  return `${purpose}${seed.toString(36)}${stamp}`;
}

/**
 * Returns a text of `length` characters, at least 1. Its last character differs from the others, so that a check
 * recognises a truncated value.
 */
export function createText(length: number): string {
  return `${'x'.repeat(length - 1)}y`;
}
