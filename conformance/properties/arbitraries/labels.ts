import * as fc from 'fast-check';
import { unusualText } from './unusual-text.ts';

/** Most pairs of the metadata of a task or browser. */
const pairsMax = 10;

/** Labels of a task or browser: up to ten pairs, one of them with an empty value. */
export function labels(): fc.Arbitrary<Record<string, string>> {
  const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,15}$/);
  const others = fc.dictionary(name, unusualText(), { minKeys: 1, maxKeys: pairsMax - 1, noNullPrototype: true });
  return others.map((pairs) => ({ ...pairs, Empty: '' }));
}
