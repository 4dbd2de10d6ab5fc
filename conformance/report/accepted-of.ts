import type { ReportRow } from '../core/report.ts';

/** Returns the reason of an accepted failure in one line; undefined for a row that is not accepted. */
export function acceptedOf(row: ReportRow & { accepted?: Accepted }): string | undefined {
  if (row.accepted === undefined) return undefined;
  const { reason, link, expires } = row.accepted;
  return `accepted until ${expires}: ${reason}${link === undefined ? '' : ` (${link})`}`;
}

interface Accepted {
  reason: string;
  link?: string;
  expires: string;
}
