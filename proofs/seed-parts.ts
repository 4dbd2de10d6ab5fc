import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Done } from './work.ts';

/** Results of one commit for one server. */
export interface SeedPart {
  readonly commit: string;
  /** Day of the latest run, for example 2026-11-21. */
  readonly date: string;
  readonly server: string;
  /** Seeds of the runs as ranges of first and last. */
  readonly seeds: readonly (readonly [first: number, last: number])[];
  readonly runs: number;
  readonly requests: number;
  readonly seconds: number;
  readonly alarms: readonly string[];
  /** Seeds with false alarms; absent in old results, whose alarms apply to all seeds of the part. */
  readonly alarmed?: readonly number[];
}

const file = 'docs/evidence/seeds.json';

/** Reads the results of every commit. */
export function readSeedParts(): readonly SeedPart[] {
  if (!existsSync(file)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes it
  return JSON.parse(readFileSync(file, 'utf8')) as SeedPart[];
}

/** Replaces the results of one commit; returns all results. */
export function keepSeedParts(commit: string, parts: readonly SeedPart[]): readonly SeedPart[] {
  const servers = new Set(parts.map(({ server }) => server));
  const others = readSeedParts().filter((part) => part.commit !== commit || !servers.has(part.server));
  const all = [...others, ...parts];
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  return all;
}

/** Returns seeds of a server for which another commit had no false alarm; a later proof continues after them. */
export function shownSeeds(parts: readonly SeedPart[], server: string, commit: string | null): ReadonlySet<number> {
  const others = parts.filter((part) => part.server === server && part.commit !== commit);
  return new Set(others.flatMap(cleanSeeds));
}

function cleanSeeds({ seeds, alarms, alarmed }: SeedPart): number[] {
  const all = seeds.flatMap(([first, last]) => range(first, last));
  if (alarmed === undefined) return alarms.length === 0 ? all : [];
  return all.filter((seed) => !alarmed.includes(seed));
}

/** Returns the results of one commit for one server; undefined when nothing was judged. */
export function seedPart(
  { commit, server }: Pick<SeedPart, 'commit' | 'server'>,
  runs: readonly Done[],
  alarms: readonly string[],
): SeedPart | undefined {
  if (runs.length === 0) return undefined;
  const isAlarmed = ({ key }: Done): boolean => alarms.some((alarm) => alarm.startsWith(`${key}: `));
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    commit,
    date: new Date().toISOString().slice(0, 10),
    server,
    seeds: getRows(runs.map(({ seed }) => seed)),
    runs: runs.length,
    requests: sum(runs.map(({ requests }) => requests)),
    seconds: Math.round(sum(runs.map(({ seconds }) => seconds))),
    alarms,
    alarmed: runs.filter(isAlarmed).map(({ seed }) => seed),
  };
}

/** Returns numbers as ranges: 1, 2, 3, 7 become 1 to 3 and 7 to 7. */
export function getRows(numbers: readonly number[]): [first: number, last: number][] {
  const rows: [number, number][] = [];
  for (const number of numbers.toSorted((left, right) => left - right)) {
    const last = rows.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else rows.push([number, number]);
  }
  return rows;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
