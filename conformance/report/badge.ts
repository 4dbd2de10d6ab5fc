import { jsonText } from '../core/safe-text.ts';
import type { Report } from '../core/report.ts';
import { type RunResult, runVerdict } from './verdict.ts';

/** A badge in the endpoint format of shields.io: what a badge server turns into a picture. */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  /** A colour of the format by name. */
  readonly color: 'brightgreen' | 'red' | 'lightgrey';
}

const colours: Readonly<Record<RunResult, Badge['color']>> = {
  passed: 'brightgreen',
  empty: 'lightgrey',
  failed: 'red',
  unusable: 'lightgrey',
  incomplete: 'lightgrey',
  fault: 'lightgrey',
};

/** A report as a badge: green for a run that passed, red for one that failed, grey for one that says neither. */
export function renderBadge(report: Report): string {
  const { result, reasons } = runVerdict(report);
  const { totals, requirements, certify = [] } = report;
  const judged = requirements.filter(({ profile }) => profile === 'documented').length;
  const passed =
    certify.length > 0
      ? `certified ${certify.map(({ set }) => set).join(', ')}`
      : `no violation in ${totals.passed} of ${judged}`;
  const message = result === 'passed' ? passed : result === 'empty' ? 'nothing judged' : reasons.join(', ');
  return jsonText({ schemaVersion: 1, label: 'contract', message, color: colours[result] } satisfies Badge);
}
