import type { Paint } from './paint.ts';
import type { Acceptance, BaselineReport, NamedEntry, Report, ReportRow } from '../core/report.ts';
import { wrap } from './wrap.ts';

/** Renders the result of a baseline as text; an empty string without a baseline. */
export function baselineText({ baseline }: Report, columns: number, paint: Paint): string {
  if (baseline === undefined) return '';
  const title = `${baseline.accepted.length} requirements with known failures only (${baseline.file})`;
  const groups = createGroups(baseline).filter(({ entries }) => entries.length > 0);
  const lines = groups.flatMap(({ title: group, entries, bad }) => [
    bad ? paint.red(`  ${group}`) : `  ${group}`,
    ...entries.map(({ name, why }) => `    ${wrap(`${name}: ${why}`, columns, '      ')}`),
  ]);
  return [paint.bold(title), ...lines].join('\n');
}

/** Returns a text such as "known until 2026-12-31: why (link)". */
export function acceptanceText({ reason, link, expires }: Acceptance): string {
  return `known until ${expires}: ${reason}${link === undefined ? '' : ` (${link})`}`;
}

interface Group {
  title: string;
  entries: readonly NamedEntry[];
  bad: boolean;
}

function createGroups({ stale, expired, unknownCells, notJudged }: BaselineReport): Group[] {
  return [
    { title: 'stale, take them out of the file:', entries: stale, bad: true },
    { title: 'expired, they count again:', entries: expired, bad: true },
    { title: 'of an unknown cell:', entries: unknownCells, bad: true },
    { title: 'not judged in this run, neither used nor stale:', entries: notJudged, bad: false },
  ];
}

/** Returns the reason of an accepted failure in one line; undefined for a row that is not accepted. */
export function describeAcceptance(row: ReportRow & { accepted?: Accepted }): string | undefined {
  if (row.accepted === undefined) return undefined;
  const { reason, link, expires } = row.accepted;
  return `accepted until ${expires}: ${reason}${link === undefined ? '' : ` (${link})`}`;
}

interface Accepted {
  reason: string;
  link?: string;
  expires: string;
}
