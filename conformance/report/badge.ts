import { jsonText } from '../harness/safe-text.ts';
import type { Report } from './report.ts';

/** A badge in the endpoint format of shields.io: what a badge server turns into a picture. */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  /** A colour of the format by name. */
  readonly color: 'brightgreen' | 'red' | 'lightgrey';
}

/** A report as a badge: green without a violation that is not known, red with one, grey for a run that did not end. */
export function renderBadge(report: Report): string {
  return jsonText(badgeOf(report));
}

function badgeOf(report: Report): Badge {
  const { totals, beyond, ended, certify = [] } = report;
  const label = 'contract';
  if (ended !== 'complete' && ended !== 'maxFailures')
    return { schemaVersion: 1, label, message: 'not judged to the end', color: 'lightgrey' };
  if (totals.errors + beyond.errors > 0)
    return { schemaVersion: 1, label, message: 'fault of the suite', color: 'lightgrey' };
  const violated = report.requirements.filter(
    (row) => row.verdict === 'violation' && row.accepted === undefined,
  ).length;
  if (violated > 0) return { schemaVersion: 1, label, message: `${violated} violated`, color: 'red' };
  const judged = report.requirements.filter(({ profile }) => profile === 'documented').length;
  const shown = `no violation in ${totals.passed} of ${judged}`;
  if (certify.length === 0) return { schemaVersion: 1, label, message: shown, color: 'brightgreen' };
  const open = certify.filter(({ certified }) => !certified).map(({ set }) => set);
  if (open.length > 0) return { schemaVersion: 1, label, message: `${open.join(', ')} not certified`, color: 'red' };
  return {
    schemaVersion: 1,
    label,
    message: `certified ${certify.map(({ set }) => set).join(', ')}`,
    color: 'brightgreen',
  };
}
