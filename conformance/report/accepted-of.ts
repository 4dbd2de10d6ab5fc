import type { ReportRow } from '../core/report.ts';

/** Why a known failure is accepted, in one line; undefined for a row that nobody has accepted. */
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
