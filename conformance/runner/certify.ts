import { findRequirement } from '../core/requirement.ts';
import { noStub } from '../provider-stub/index.ts';
import type { Certificate, MissingRow, ReportRow } from '../core/report.ts';
import { type FrozenSet, checkableRows } from './certification-options.ts';

/**
 * Returns the certificate of a frozen set. Rows added to the registry after the freeze do not count, and rows that need
 * a provider stub do not count without one. A failure that the baseline accepts still counts as a failure.
 */
export function certify(set: FrozenSet, rows: readonly ReportRow[]): Certificate {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const checkable = checkableRows(set);
  const unseen = unseenRows(checkable, byId);
  const musts = checkable.filter(({ id, level }) => level === 'MUST' && !unseen.some((row) => row.id === id));
  const missing = musts.flatMap(({ id }) => missingRow(id, byId.get(id)));
  return {
    set: set.generation,
    frozen: set.frozen,
    certified: missing.length === 0,
    passed: musts.length - missing.length,
    total: musts.length,
    missing,
    excluded: [...set.ids.flatMap((id) => excludedRow(id)), ...unseen],
    advised: checkable.filter(({ level }) => level !== 'MUST').flatMap(({ id }) => missingRow(id, byId.get(id))),
  };
}

// A target without a provider stub is certified without these rows, which the certificate lists.
function unseenRows(
  checkable: readonly Pick<ReportRow, 'id'>[],
  byId: ReadonlyMap<string, ReportRow>,
): { id: string; reason: string }[] {
  return checkable
    .filter(({ id }) => byId.get(id)?.reason === noStub)
    .map(({ id }) => ({ id, reason: `needs-provider-stub: ${noStub}` }));
}

function missingRow(id: string, row: ReportRow | undefined): MissingRow[] {
  if (row === undefined) return [{ id, verdict: 'notRun', why: 'it is not part of this run' }];
  const { verdict, cells, reason } = row;
  if (verdict !== 'pass') return [{ id, verdict, why: reason ?? row.failures[0]?.message ?? '' }];
  // A certificate covers all cells; a sample covers only some of them.
  if (cells.judged >= cells.total) return [];
  return [
    { id, verdict, why: `${cells.judged} of ${cells.total} cells were judged: ${reason ?? 'the rest was not sent'}` },
  ];
}

function excludedRow(id: string): { id: string; reason: string }[] {
  const excluded = findRequirement(id)?.excluded;
  return excluded === undefined ? [] : [{ id, reason: `${excluded.reason}: ${excluded.detail}` }];
}
