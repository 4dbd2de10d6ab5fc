import { isDeepStrictEqual } from 'node:util';
import { defaultRules } from '#contract/rule-book.ts';
import type { Judged } from './judge-reference.ts';
import { answerMutants, replaceAnswers } from './answer-mutants.ts';
import { answerBy, schemaMutants } from './schema-mutants.ts';
import { tableMutants } from './table-mutants.ts';

/** Changes that make the reference behave according to a mutated document. */
export interface DocumentChange extends Pick<Judged, 'rules' | 'around'> {
  /** Returns true if a rule table differs from that of the contract, or if a response has been changed so far. */
  readonly hasChanged: () => boolean;
}

/**
 * Returns the keys of all document mutants: first those of rule tables and message templates, then those of response
 * schemas, then those of whole operations.
 */
export function documentKeys(): string[] {
  return [...tableMutants(), ...schemaMutants(), ...answerMutants()].map(({ key }) => key);
}

/** Creates the changes of the reference for the key of a document mutant. Throws for an unknown key. */
export function changeFor(key: string): DocumentChange {
  const table = tableMutants().find((mutant) => mutant.key === key);
  if (table !== undefined) {
    const rules = table.rules();
    return { rules, hasChanged: () => !isDeepStrictEqual(rules, defaultRules) };
  }
  let hasChanged = false;
  const note = (): void => void (hasChanged = true);
  const schema = schemaMutants().find((mutant) => mutant.key === key);
  if (schema !== undefined) return { around: answerBy(schema, note), hasChanged: () => hasChanged };
  const answers = answerMutants().find((mutant) => mutant.key === key);
  if (answers === undefined)
    throw new Error(`found no change of a document with the key ${key}, expected one of documentKeys`);
  return { around: replaceAnswers(answers, note), hasChanged: () => hasChanged };
}
