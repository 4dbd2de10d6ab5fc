import { registry } from '../core/requirement.ts';
import type { Report, ReportRow, Totals, Verdict } from '../core/report.ts';

/** Every verdict, with the member of the totals that counts it. */
const counted: Readonly<Record<Verdict, keyof Totals>> = {
  pass: 'passed',
  violation: 'violations',
  warning: 'warnings',
  note: 'notes',
  notTestable: 'notTestable',
  notRun: 'notRun',
  error: 'errors',
};

const levels: Partial<Record<Verdict, ReportRow['level']>> = { violation: 'MUST', warning: 'SHOULD', note: 'MAY' };

/**
 * Returns inconsistencies in a report of the whole registry: missing rows, wrong totals, and verdicts that contradict
 * other members of their row. Returns an empty list for a consistent report.
 */
export function reportInconsistencies(report: Report): string[] {
  const ids = report.requirements.map(({ id }) => id);
  const sum = [...Object.values(report.totals), ...Object.values(report.beyond)].reduce((one, other) => one + other, 0);
  return [
    ...(ids.join() === registry.map(({ id }) => id).join() ? [] : ['the rows are not those of the registry']),
    ...(sum === registry.length ? [] : [`the totals sum to ${sum}, the registry has ${registry.length} rows`]),
    ...report.requirements.flatMap((row) => rowProblems(row).map((problem) => `${row.id} ${problem}`)),
    ...totalProblems(report, 'totals', 'documented'),
    ...totalProblems(report, 'beyond', 'full'),
  ];
}

function rowProblems(row: ReportRow): string[] {
  return laws.filter(({ breaks }) => breaks(row)).map(({ problem }) => `reads ${row.verdict} ${problem}`);
}

const laws: readonly { breaks: (row: ReportRow) => boolean; problem: string }[] = [
  { breaks: ({ verdict }) => !Object.hasOwn(counted, verdict), problem: 'which is no verdict' },
  { breaks: ({ verdict, level }) => (levels[verdict] ?? level) !== level, problem: 'with another level' },
  { breaks: ({ verdict, failures }) => fails(verdict) && failures.length === 0, problem: 'without a failure' },
  {
    breaks: ({ verdict, failures }) => !fails(verdict) && verdict !== 'error' && failures.length > 0,
    problem: 'with failures',
  },
  { breaks: (row) => isSilent(row) && (row.reason ?? '').trim() === '', problem: 'without a reason' },
  { breaks: ({ verdict, cells }) => verdict === 'pass' && cells.judged === 0, problem: 'and nothing was judged' },
];

function fails(verdict: Verdict): boolean {
  return levels[verdict] !== undefined;
}

function isSilent({ verdict, cells }: ReportRow): boolean {
  return ['notTestable', 'notRun', 'error'].includes(verdict) || (verdict === 'pass' && cells.judged < cells.total);
}

function totalProblems(report: Report, member: 'totals' | 'beyond', profile: ReportRow['profile']): string[] {
  const rows = report.requirements.filter((row) => row.profile === profile);
  return Object.entries(counted).flatMap(([verdict, name]) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return report[member][name] === count ? [] : [`${member}.${name} is ${report[member][name]} of ${count} rows`];
  });
}
