import { notExercised } from '../core/coverage.ts';
import { safeStrings } from '../core/safe-text.ts';
import { contractLines } from '../core/requirement.ts';
import { isLocalTarget } from '../core/target.ts';
import { acceptanceText, baselineText } from './baseline-text.ts';
import { causeText, curlText } from './cause-text.ts';
import { type Cause, causeExample, reportCauses } from './causes.ts';
import { certificateText } from './certificate-text.ts';
import type { LeftEntry, Failure, Report, ReportRow, Verdict } from '../core/report.ts';
import { nextSteps } from './next-steps.ts';
import { type Style, createPaint } from './paint.ts';
import { shortReason } from '../runner/failure-text.ts';
import { runVerdict } from './verdict.ts';
import { counted, createdText, leftText, worstFirst } from './words.ts';
import { wrap, wrapCommand } from './wrap.ts';

/** Options of a terminal report. */
export interface TerminalOptions {
  /**
   * Preferred width in characters. Shell arguments, replay tokens and the counts of an area are not broken.
   * @defaultValue 80
   */
  columns?: number;
  /** True for coloured output. @defaultValue false */
  colour?: boolean;
  /**
   * `brief`: the verdict, the first causes and the remaining resources. `normal`: more causes, and one line per reason
   * of unjudged rows. `full`: instead of causes, the counts of each area, every finding by requirement, and unjudged
   * rows with their ids.
   * @defaultValue `normal`
   */
  extent?: 'brief' | 'normal' | 'full';
}

/** Number of failures of one requirement that are shown in full. */
const failuresShown = 3;
/** Maximum number of shown causes, and of those with an example; the others show their title and numbers. */
const causesShown = { brief: { all: 5, examples: 1 }, normal: { all: 12, examples: 2 } } as const;

/**
 * Renders a report as text. Its first line is the verdict of the run, and so is the last line unless the extent is
 * `brief`.
 */
export function renderTerminal(judged: Report, options: TerminalOptions = {}): string {
  const causes = reportCauses(judged);
  // Runs before colours are added, which are the only control characters of the text.
  const report = safeStrings({ ...judged, exchanges: shownExchanges(judged, causes) });
  const style: Style = { columns: options.columns ?? 80, paint: createPaint(options.colour ?? false) };
  const extent = options.extent ?? 'normal';
  const verdict = verdictLine(report, style);
  const sections = [
    [verdict, facts(report, style)].join('\n'),
    ...(extent === 'full'
      ? fullSections(report, style)
      : [causesSection(report, safeStrings(causes), { ...style, ...causesShown[extent] })]),
    ...(extent === 'normal' ? [unjudgedSection(report, style)] : []),
    baselineText(report, style.columns, style.paint),
    certificateText(report, style.columns, style.paint),
    ...(extent === 'brief'
      ? [remains(report, style)]
      : [[remains(report, style), next(report, style), verdict].join('\n')]),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

// Only shown responses are made safe, because most are not shown and some are large.
function shownExchanges(report: Report, causes: readonly Cause[]): Report['exchanges'] {
  const shown = new Set(causes.slice(0, causesShown.normal.all).map((cause) => causeExample(cause, report)?.exchange));
  return report.exchanges.map((exchange) =>
    shown.has(exchange) ? { ...exchange, json: undefined } : { ...exchange, body: '', json: undefined },
  );
}

function verdictLine(report: Report, { paint, columns }: Style): string {
  const { result, text } = runVerdict(report);
  const unsure = ['empty', 'incomplete'].includes(result) ? paint.yellow : paint.red;
  const colour = result === 'passed' ? paint.green : unsure;
  return colour(paint.bold(wrap(text, columns, '  ')));
}

function facts({ target, seed, durationMs, exchangeCount, client }: Report, { paint, columns }: Style): string {
  const extent =
    client === undefined
      ? [`profile ${target.profile}`, `spend ${target.spend}`]
      : [`started ${counted(client.trials, 'time')}`];
  const words = [
    target.url,
    ...extent,
    `seed ${seed}`,
    `${exchangeCount} requests`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ];
  return paint.dim(wrap(words.join(' · '), columns, '  '));
}

interface CausesStyle extends Style {
  readonly all: number;
  readonly examples: number;
}

function causesSection(report: Report, causes: readonly Cause[], style: CausesStyle): string {
  if (causes.length === 0) return '';
  const rows = new Set(causes.flatMap(({ requirements }) => requirements)).size;
  const title = `Findings: ${counted(causes.length, 'cause')} in ${counted(rows, 'requirement')}`;
  const parts = causes
    .slice(0, style.all)
    .map((cause, index) => causeText(cause, report, { style, example: index < style.examples }));
  const more = causes.length - style.all;
  const folded = more > 0 ? [style.paint.dim(`and ${more} more causes`)] : [];
  const all = style.paint.dim(wrap('Every finding: `--details`, or `--report html=FILE`.', style.columns, ''));
  return [style.paint.bold(title), ...parts, ...folded, all].join('\n\n');
}

// Each reason has one line. `--details` adds the ids of its rows. A report on a client has few rows and always shows
// their ids.
function unjudgedSection({ requirements, client }: Report, { paint, columns }: Style): string {
  const contract = requirements.filter(({ profile }) => profile === 'documented');
  const beyond = requirements.filter(({ profile }) => profile === 'full');
  const line = ([reason, rows]: [string, ReportRow[]]): string => {
    const text = `  ${String(rows.length).padStart(3)}  ${reason}`;
    if (client !== undefined)
      return [text, `${indent}${wrap(joinIds(rows), columns - indent.length, indent)}`].join('\n');
    return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
  };
  const section = (title: string, rows: readonly ReportRow[]): string[] =>
    rows.length === 0 ? [] : [[paint.bold(`${title} (${rows.length})`), ...byReason(rows).map(line)].join('\n')];
  const of = (rows: readonly ReportRow[], verdict: Verdict): ReportRow[] =>
    rows.filter((row) => row.verdict === verdict);
  return [
    ...partly(requirements, { paint, columns }),
    ...section('Not testable', of(contract, 'notTestable')),
    ...section('Not run', of(contract, 'notRun')),
    ...section('Beyond the contract, not judged', [...of(beyond, 'notTestable'), ...of(beyond, 'notRun')]),
  ].join('\n\n');
}

const indent = ' '.repeat(7);

function joinIds(rows: readonly ReportRow[]): string {
  return rows.map(({ id }) => id).join(', ');
}

// A passed table with unjudged cells is listed as judged in part.
function partly(rows: readonly ReportRow[], { paint, columns }: Style): string[] {
  const inPart = rows.filter(({ verdict, cells }) => verdict === 'pass' && cells.judged < cells.total);
  if (inPart.length === 0) return [];
  const names = inPart.map(({ id, cells }) => `${id} (${cells.judged} of ${cells.total} cells)`);
  return [`${paint.bold(`Judged in part (${inPart.length})`)}\n  ${wrap(names.join(', '), columns, '  ')}`];
}

function byReason(rows: readonly ReportRow[]): [string, ReportRow[]][] {
  const groups = Map.groupBy(rows, ({ reason = 'no reason' }) => shortReason(reason));
  return [...groups].toSorted((left, right) => right[1].length - left[1].length);
}

function fullSections(report: Report, style: Style): string[] {
  const contract = report.requirements.filter(({ profile }) => profile === 'documented');
  return [...rowSections(contract, style), ...beyondSections(report, style)];
}

function rowSections(rows: readonly ReportRow[], style: Style): string[] {
  return [
    areas(rows, style),
    findings(rows, style),
    sampled(rows, style),
    reasons(rows, 'notTestable', style),
    reasons(rows, 'notRun', style),
  ];
}

function beyondSections(report: Report, style: Style): string[] {
  const rows = report.requirements.filter(({ profile }) => profile === 'full');
  if (rows.length === 0) return [];
  const title = style.paint.bold(`Beyond the contract (${rows.length}, not part of the totals)`);
  if (report.beyond.notRun === rows.length) return [`${title}\n  not run: ${rows[0]?.reason ?? 'left out'}`];
  return [title, ...rowSections(rows, style)];
}

function areas(requirements: readonly ReportRow[], { paint }: Style): string {
  const byArea = Map.groupBy(requirements, ({ area }) => area);
  return [...byArea]
    .map(([area, rows]) => {
      const count = (verdict: Verdict): number => rows.filter((row) => row.verdict === verdict).length;
      const parts = [
        (count('pass') === 0 ? paint.dim : paint.green)(`${String(count('pass')).padStart(3)} passed`),
        ...part(count('violation'), 'violated', paint.red),
        ...part(count('error'), 'errors', paint.red),
        ...part(count('warning') + count('note'), 'advised', paint.yellow),
        ...part(count('notTestable'), 'not testable', paint.dim),
        ...part(count('notRun'), 'not run', paint.dim),
      ];
      return `  ${area.padEnd(18)}${parts.join('  ')}`;
    })
    .join('\n');
}

function part(count: number, word: string, colour: (text: string) => string): string[] {
  return count === 0 ? [] : [colour(`${count} ${word}`)];
}

function findings(requirements: readonly ReportRow[], style: Style): string {
  return worstFirst(requirements)
    .map((row) => finding(row, style))
    .join('\n\n');
}

// A passed table with unjudged cells is listed as judged in part, with the reason.
function sampled(requirements: readonly ReportRow[], { paint, columns }: Style): string {
  const rows = requirements.filter(({ verdict, cells }) => verdict === 'pass' && cells.judged < cells.total);
  if (rows.length === 0) return '';
  const lines = rows.map(
    ({ id, cells, reason = 'the rest was not sent' }) =>
      `  ${wrap(`${id} pass (${cells.judged} of ${cells.total} cells): ${reason}`, columns, '      ')}`,
  );
  return [paint.bold(`Judged in part (${rows.length})`), ...lines].join('\n');
}

function finding(row: ReportRow, style: Style): string {
  const { paint, columns } = style;
  const colour = ['violation', 'error'].includes(row.verdict) ? paint.red : paint.yellow;
  const cells = row.cells.total > 1 ? ` (${row.cells.failed} of ${row.cells.judged} cells)` : '';
  const lines = [
    `${colour(paint.bold(row.verdict.toUpperCase()))} ${row.level} ${paint.bold(row.id)}${cells}`,
    `  ${wrap(row.text, columns, '  ')}`,
    ...contractLines(row).map((line) => `  ${wrap(line, columns, '  ')}`),
    paint.dim(`  ${wrap(row.source, columns, '  ')}`),
  ];
  if (row.reason !== undefined) lines.push(`  ${wrap(row.reason, columns, '  ')}`);
  if (row.accepted !== undefined) lines.push(`  ${wrap(acceptanceText(row.accepted), columns, '  ')}`);
  for (const failure of row.failures.slice(0, failuresShown)) lines.push(describe(failure, style));
  const more = row.failures.length - failuresShown;
  if (more > 0) lines.push(paint.dim(`    and ${more} more, see the JSON report`));
  return lines.join('\n');
}

function describe(failure: Failure, { paint, columns }: Style): string {
  const requirement = failure.requirement === undefined ? '' : `${failure.requirement}: `;
  const lines = [`  - ${wrap(requirement + failure.message, columns, '    ')}`];
  if (failure.counterexample !== undefined) lines.push(`    input ${wrap(failure.counterexample, columns, '      ')}`);
  if (failure.curl !== undefined) lines.push(`    ${curlText(failure.curl, columns, '    ')}`);
  const script = failure.script ?? [];
  if (script.length > 0)
    lines.push('    the requests that lead to it:', ...script.map((line) => `    ${curlText(line, columns, '    ')}`));
  lines.push(paint.dim(`    svc replay \\\n${failure.replay}`));
  return lines.join('\n');
}

function reasons(
  requirements: readonly ReportRow[],
  verdict: 'notTestable' | 'notRun',
  { paint, columns }: Style,
): string {
  const rows = requirements.filter((row) => row.verdict === verdict);
  if (rows.length === 0) return '';
  const title = verdict === 'notTestable' ? 'Not testable' : 'Not run';
  const lines = byReason(rows).map(([reason, group]) => {
    const ids = group.map(({ id }) => id).join(', ');
    return `  ${String(group.length).padStart(3)}  ${wrap(`${reason} (${ids})`, columns, '       ')}`;
  });
  return [paint.bold(`${title} (${rows.length})`), ...lines].join('\n');
}

// A target on this machine causes no real cost.
function remains(report: Report, { paint, columns }: Style): string {
  const { created, left, target, estimate, spentUsd } = report;
  if (report.client !== undefined) return '';
  const isPaid = ['browser', 'task'].includes(target.spend) && !isLocalTarget(target);
  const spent = isPaid ? [`spent ${spentUsd} US dollars`] : [];
  const expected = isPaid && estimate !== undefined ? [`estimated at most ${estimate.atMostUsd}`] : [];
  return [
    wrap([`created ${createdText(created)}, left ${left.length}`, ...expected, ...spent].join(', '), columns, '  '),
    ...left.flatMap((entry) => leftLines(entry, { paint, columns })),
    ...(target.profile === 'full' ? [exercised(report)] : []),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function next(report: Report, { columns }: Style): string {
  return nextSteps(report)
    .map((step, index) => `${index === 0 ? 'Next: ' : '      '}${wrap(step, columns, '      ')}`)
    .join('\n');
}

function exercised({ coverage }: Report): string {
  const offered = coverage.filter((row) => row.offered).length;
  if (offered === 0) return '';
  return `${offered - notExercised(coverage).length} of ${offered} operations were exercised; see \`svc coverage\`.`;
}

function leftLines(entry: LeftEntry, { paint, columns }: Style): string[] {
  const { candidates, curl } = entry;
  return [
    paint.red(`  left: ${wrap(leftText(entry), columns - 8, '    ')}`),
    ...(candidates === undefined ? [] : [`    may be one of: ${wrap(candidates.join(', '), columns, '      ')}`]),
    ...(curl === undefined ? [] : [`    ${wrapCommand(curl, columns, '    ')}`]),
  ];
}
