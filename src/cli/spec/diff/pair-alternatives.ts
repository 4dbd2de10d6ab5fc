import type { Alternative } from './alternatives.ts';
import { changeKinds } from './change-kinds.ts';
import { type Change, type Place, changeAt } from './change.ts';
import type { Pair } from './pair.ts';

/** What changed between two alternatives of one type. */
type Compare = (old: Alternative, fresh: Alternative) => Change[];

/**
 * Finds for every old alternative a new one that still accepts all of it; what then remains is paired in order. An alternative
 * without a partner came or went, unless another one covers it. With one on each side this is their comparison.
 */
export function pairAlternatives(
  { old, new: fresh }: Pair<readonly Alternative[]>,
  place: Place,
  compare: Compare,
): Change[] {
  const [before] = old;
  const [after] = fresh;
  if (before !== undefined && after !== undefined && old.length === 1 && fresh.length === 1)
    return compare(before, after);
  const covered = old.map((candidate) => ({ candidate, by: coverOf(candidate, fresh, compare) }));
  const used = new Set(covered.map(({ by }) => by?.alternative));
  const lost = covered.filter(({ by }) => by === null).map(({ candidate }) => candidate);
  const unused = fresh.filter((candidate) => !used.has(candidate));
  const gained = unused
    .slice(lost.length)
    .filter((candidate) => !old.some((other) => !widens(compare(other, candidate))));
  return unique([
    ...covered.flatMap(({ by }) => by?.changes ?? []),
    ...lost.flatMap((candidate, index) => {
      const partner = unused[index];
      return partner === undefined ? [changeAt(place, 'alternativeRemoved')] : compare(candidate, partner);
    }),
    ...gained.map(() => changeAt(place, 'alternativeAdded')),
  ]);
}

interface Cover {
  readonly alternative: Alternative;
  readonly changes: readonly Change[];
}

/** The alternative that accepts everything the candidate accepts, with the fewest changes; null when none does. */
function coverOf(candidate: Alternative, among: readonly Alternative[], compare: Compare): Cover | null {
  const covers = among
    .map((alternative) => ({ alternative, changes: compare(candidate, alternative) }))
    .filter(({ changes }) => !changes.some(({ kind }) => changeKinds[kind].request === 'breaking'))
    .toSorted((left, right) => left.changes.length - right.changes.length);
  return covers[0] ?? null;
}

function widens(changes: readonly Change[]): boolean {
  return changes.some(({ kind }) => changeKinds[kind].response !== 'fine');
}

function unique(changes: readonly Change[]): Change[] {
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}
