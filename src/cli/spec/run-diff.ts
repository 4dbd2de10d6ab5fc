import { exitCodes } from '../process-end.ts';
import type { JudgedChange } from './diff/change.ts';
import { type Change, compareDocuments, judge, loadDocuments, notComparable } from './diff/compare-documents.ts';

/** Output flags of a comparison. */
export interface DiffFlags {
  /** Whether to write one JSON object instead of sentences. */
  readonly json: boolean;
  /** Whether changes that may break clients lead to exit code 1 too. */
  readonly strict: boolean;
}

/**
 * Compares two documents or two folders of documents, and writes the changes to `out`. Returns exit code 1 for changes
 * that break clients, with `strict` also for changes that may break clients, else 0. Rejects with SuiteError `usage`
 * for a document that cannot be loaded, and if only one of the arguments is a folder.
 */
export async function runDiff(
  { old, new: fresh }: { readonly old: string; readonly new: string },
  flags: DiffFlags,
  out: (line: string) => void,
): Promise<number> {
  const changes = (await differences(old, fresh)).map(judge);
  const totals = countTotals(changes);
  if (flags.json) out(JSON.stringify({ schema: 'svc-spec-diff/1', old, new: fresh, totals, changes }, null, 2));
  else for (const line of formatLines(changes, totals)) out(line);
  const failed = totals.breaking > 0 || (flags.strict && totals.risky > 0);
  return failed ? exitCodes.violation : exitCodes.ok;
}

async function differences(old: string, fresh: string): Promise<Change[]> {
  const [before, after] = await Promise.all([loadDocuments(old), loadDocuments(fresh)]);
  if (before.has('') !== after.has('')) {
    throw notComparable(`one document and one folder (${old}, ${fresh})`, {
      expected: 'two documents or two folders',
      next: 'name the file inside',
    });
  }
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((name) => {
    const [document, changed] = [before.get(name), after.get(name)];
    const place = { direction: 'request', detail: '', where: name } as const;
    if (document === undefined) return [{ ...place, kind: 'documentAdded' }];
    if (changed === undefined) return [{ ...place, kind: 'documentRemoved' }];
    return compareDocuments({ old: document, new: changed }, name === '' ? '' : `${name} `);
  });
}

type Totals = Readonly<Record<JudgedChange['verdict'], number>>;

function countTotals(changes: readonly JudgedChange[]): Totals {
  const count = (verdict: JudgedChange['verdict']): number =>
    changes.filter((change) => change.verdict === verdict).length;
  return { breaking: count('breaking'), risky: count('risky'), fine: count('fine') };
}

const headings = { breaking: 'Breaks clients', risky: 'May break clients', fine: 'Breaks no client' } as const;

function formatLines(changes: readonly JudgedChange[], totals: Totals): string[] {
  const verdicts = ['breaking', 'risky', 'fine'] as const;
  const groups = verdicts.flatMap((verdict) => {
    const lines = changes
      .filter((change) => change.verdict === verdict)
      .map(({ sentence, why }) => `  ${sentence}${why === undefined ? '' : `. ${why}`}`);
    return lines.length === 0 ? [] : [`${headings[verdict]}:`, ...lines, ''];
  });
  const { breaking, risky, fine } = totals;
  return [...groups, `${breaking} breaking, ${risky} that may break, ${fine} that break no client`];
}
