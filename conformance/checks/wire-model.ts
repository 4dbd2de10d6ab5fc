import { models } from '#generated/rules.ts';
import type { Target } from '../harness/target/target.ts';

const known: readonly string[] = [
  ...new Set([...models.v2.models, ...models.v3.models, ...models.v4.models].map(({ name }) => plain(name))),
].toSorted((left, right) => right.length - left.length);

/**
 * The model of the tables that a name on the wire belongs to: the longest one that it contains as whole words, dates and places of a cloud
 * beside it; undefined for a name that no table knows.
 */
export function wireModel(wire: string, { providerStub }: Pick<Target, 'providerStub'>): string | undefined {
  const name = plain(providerStub?.models[wire] ?? wire);
  return known.find((one) => contains(name, one));
}

/** True when a model of the tables is another one, or a later name of it (`-preview`). */
export function isModel(found: string, wanted: string): boolean {
  return found === plain(wanted) || found.startsWith(`${plain(wanted)}-`);
}

// Providers and the contract do not agree on dots.
function plain(name: string): string {
  return name.toLowerCase().replaceAll('.', '-');
}

function contains(name: string, part: string): boolean {
  const at = name.indexOf(part);
  return at >= 0 && !/[a-z0-9]/.test(name[at - 1] ?? '') && !/[a-z0-9]/.test(name[at + part.length] ?? '');
}
