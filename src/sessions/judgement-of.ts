import type { Judgement } from '#agent/output/judgement.ts';

/** The judgement of a run as the database holds it; null where there is none. */
export function judgementOf({ judgement }: { readonly judgement: string | null }): Judgement | null {
  if (judgement === null) return null;
  // Written from this type and from nothing else.
  const value: Judgement = JSON.parse(judgement);
  return value;
}
