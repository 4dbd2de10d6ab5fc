import type { Hit } from './phrases.ts';

/** Number of phrases to avoid that each top folder may still contain; `.` is the root of the repository. */
export type Counts = Readonly<Record<string, number>>;

/** Returns the top folder of a path. */
function topFolder(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
}

/** Counts hits by top folder, in the order of names. */
export function countHits(hits: readonly Hit[]): Counts {
  const groups = Map.groupBy(hits, ({ file }) => topFolder(file));
  return Object.fromEntries(
    [...groups].map(([folder, found]) => [folder, found.length] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns a message for each folder with more phrases than allowed. */
export function judgeCounts(found: Counts, allowed: Counts): string[] {
  return Object.entries(found)
    .filter(([folder, count]) => count > (allowed[folder] ?? 0))
    .map(
      ([folder, count]) =>
        `${folder}: found ${count} phrases to avoid, expected at most ${allowed[folder] ?? 0}. ` +
        `Next: npm run lint:words -- --list ${folder} shows each with its line and what to write instead.`,
    );
}

/** Lowers each allowed count to the found one. A count never rises, and a folder without hits is removed. */
export function lowerCounts(found: Counts, allowed: Counts): Counts {
  return Object.fromEntries(
    Object.entries(allowed)
      .map(([folder, count]) => [folder, Math.min(count, found[folder] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}
