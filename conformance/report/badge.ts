import { jsonText } from '../core/safe-text.ts';
import type { Report } from '../core/report.ts';
import { type RunResult, runVerdict } from './verdict.ts';

/** A badge in the endpoint format of shields.io, which a badge server renders. */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  /** Colour name of the format. */
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

/** Returns the badge of a report as JSON: green if the run passed, red if it failed, grey for any other result. */
export function renderBadge(report: Report): string {
  const { result, reasons } = runVerdict(report);
  const { totals, requirements, certify = [] } = report;
  const judged = requirements.filter(({ profile }) => profile === 'documented').length;
  const passed =
    certify.length > 0
      ? `certified ${certify.map(({ set }) => set).join(', ')}`
      : `no violation in ${totals.passed} of ${judged}`;
  const failed = result === 'empty' ? 'nothing judged' : reasons.join(', ');
  const message = result === 'passed' ? passed : failed;
  return jsonText({ schemaVersion: 1, label: 'contract', message, color: colours[result] } satisfies Badge);
}
