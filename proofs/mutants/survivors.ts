import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isJsonObject } from '#lib/json.ts';

/** Reasons why a mutant may survive; only `missed` is a gap of the suite. */
export const survivorClasses = ['equivalent', 'invisible', 'outside', 'missed'] as const;

/** A class of survivors. */
export type SurvivorClass = (typeof survivorClasses)[number];

/** Classification of one surviving mutant, or of all survivors whose keys have a common prefix. */
export interface ClassifiedSurvivor {
  /** Key of the mutant; a final star matches any rest. */
  readonly mutant: string;
  readonly class: SurvivorClass;
  readonly reason: string;
}

const file = 'docs/evidence/mutant-survivors.yaml';
const members = ['mutant', 'class', 'reason'];

/** Reads the classification of surviving mutants. Throws for an unknown member or class, and for a duplicate mutant. */
export function readSurvivors(): ClassifiedSurvivor[] {
  const rows: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : [];
  const read = (Array.isArray(rows) ? rows : []).map(readRow);
  const twice = read.find(({ mutant }, at) => read.findIndex((other) => other.mutant === mutant) !== at);
  if (twice !== undefined) throw new Error(`found ${twice.mutant} twice in ${file}, expected once: remove one of them`);
  return read;
}

function readRow(row: unknown, at: number): ClassifiedSurvivor {
  const given = isJsonObject(row) ? row : {};
  const [mutant, kind, reason] = members.map((name) => given[name]);
  const found = survivorClasses.find((one) => one === kind);
  const isKnown = Object.keys(given).every((name) => members.includes(name));
  if (!isKnown || found === undefined || typeof mutant !== 'string' || typeof reason !== 'string') {
    const expected = `mutant, class (${survivorClasses.join(', ')}) and reason`;
    throw new Error(`found ${JSON.stringify(row)} in row ${at + 1} of ${file}, expected ${expected}: correct the row`);
  }
  return { mutant, class: found, reason };
}

/**
 * Returns the classification of a survivor; undefined without a classification. An exact key takes precedence over a
 * key with a wildcard.
 */
export function classify(key: string, rows: readonly ClassifiedSurvivor[]): ClassifiedSurvivor | undefined {
  return (
    rows.find(({ mutant }) => mutant === key) ??
    rows.find(({ mutant }) => mutant.endsWith('*') && key.startsWith(mutant.slice(0, -1)))
  );
}
