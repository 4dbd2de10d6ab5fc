import type { LeftEntry } from '../core/report.ts';
import { curlLine } from '../core/script-lines.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import { pathWithId } from '../core/path-with-id.ts';
import { stopOperations } from '../ledger/stop-operations.ts';
import { resourceLists } from '../ledger/resource-lists.ts';
import { type OperationTarget, type Target, generationUrl } from '../core/target.ts';
import type { OrphanCandidates } from '../ledger/orphans.ts';

/**
 * Returns the live and requested entries of a ledger, each resource once. `curl` ends the resource, or lists its kind
 * if the id is unknown; absent if the target offers neither operation. An entry without an id gets the candidates of
 * its kind.
 */
export function listLeftEntries(
  entries: readonly LedgerEntry[],
  target: Target,
  candidates: OrphanCandidates,
): LeftEntry[] {
  const left = entries.filter(({ state }) => state === 'live' || state === 'requested');
  return withoutRepeats(left).map((entry) => {
    const place =
      entry.id === undefined ? findList(target, entry) : stopOperations[entry.kind](target, entry.generation);
    const ids = entry.id === undefined ? candidates.get(entry.kind) : undefined;
    return {
      ...entry,
      ...(place === null ? {} : { curl: formatLine(target, entry, place) }),
      ...(ids === undefined ? {} : { candidates: ids }),
    };
  });
}

/**
 * Returns each resource with an id once, because a target may answer several creations with one id; keeps all entries
 * without an id.
 */
function withoutRepeats(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const identify = ({ kind, generation, id }: LedgerEntry): string => `${kind} ${generation} ${id}`;
  const first = new Map(entries.toReversed().map((entry) => [identify(entry), entry]));
  return entries.filter((entry) => entry.id === undefined || first.get(identify(entry)) === entry);
}

function findList(target: Target, { kind, generation }: LedgerEntry): OperationTarget | null {
  return resourceLists(target).find((list) => list.kind === kind && list.generation === generation)?.place ?? null;
}

function formatLine(
  target: Target,
  { generation, id = '', key }: LedgerEntry,
  { method, path, body }: OperationTarget,
): string {
  const request = {
    method,
    url: generationUrl(target, generation, pathWithId(path, id)),
    headers: {
      [target.keyHeader]: key === 'other' ? '$SVC_OTHER_API_KEY' : '$SERVICE_API_KEY',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return curlLine({ request });
}
