import type { LedgerEntry } from '../harness/ledger.ts';
import { safeStrings } from '../harness/safe-text.ts';
import { notExercised } from '../coverage/index.ts';
import { endings } from './endings.ts';
import { acceptanceText, baselineText } from './baseline-text.ts';
import { certificateText } from './certificate-text.ts';
import type { LeftEntry } from './left-entry.ts';
import { type Paint, createPaint } from './paint.ts';
import type { Failure, Report, ReportRow, Totals, Verdict } from './report.ts';
import { shortReason } from './short-reason.ts';
import { worstFirst } from './worst-first.ts';
import { wrap } from './wrap.ts';

/** How a terminal report looks. */
export interface TerminalOptions {
  /** Width in characters; text is wrapped, `curl` lines are not. @defaultValue 80 */
  columns?: number;
  /** @defaultValue false */
  colour?: boolean;
}

interface Style {
  columns: number;
  paint: Paint;
}

/** Failures of one requirement that are shown in full. */
const failuresShown = 3;

/** A report for people. */
export function renderTerminal(judged: Report, options: TerminalOptions = {}): string {
  // Before colours are put in, which are the only controls of the text. The answers themselves are not shown.
  const report = safeStrings({ ...judged, exchanges: [] });
  const style: Style = { columns: options.columns ?? 80, paint: createPaint(options.colour ?? false) };
  const contract = report.requirements.filter(({ profile }) => profile === 'documented');
  const sections = [
    header(report, style),
    ...rowSections(contract, style),
    ...beyondSections(report, style),
    baselineText(report, style.columns, style.paint),
    certificateText(report, style.columns, style.paint),
    summary(report, contract.length, style),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
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

// What nobody has asked for is no gap of the contract, so one line is enough.
function beyondSections(report: Report, style: Style): string[] {
  const rows = report.requirements.filter(({ profile }) => profile === 'full');
  if (rows.length === 0) return [];
  const { beyond } = report;
  const title = style.paint.bold(`Beyond the contract (${rows.length}, not part of the totals)`);
  if (beyond.notRun === rows.length) return [`${title}\n  not run: ${rows[0]?.reason ?? 'left out'}`];
  return [title, ...rowSections(rows, style)];
}

function header({ target, seed, durationMs, exchangeCount }: Report, { paint }: Style): string {
  const facts = [
    `profile ${target.profile}`,
    `spend ${target.spend}`,
    `seed ${seed}`,
    `${exchangeCount} requests`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ];
  return `${paint.bold(target.url)}\n${paint.dim(facts.join(' · '))}`;
}

function areas(requirements: readonly ReportRow[], { paint }: Style): string {
  const byArea = Map.groupBy(requirements, ({ area }) => area);
  return [...byArea]
    .map(([area, rows]) => {
      const count = (verdict: Verdict): number => rows.filter((row) => row.verdict === verdict).length;
      const parts = [
        paint.green(`${String(count('pass')).padStart(3)} passed`),
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

// A table of which only some cells were sent has not been judged as a whole, and has to say so.
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
  if (failure.counterexample !== undefined) lines.push(`    input   ${failure.counterexample}`);
  if (failure.curl !== undefined) lines.push(`    request ${failure.curl}`);
  for (const [index, line] of (failure.script ?? []).entries())
    lines.push(`    ${index === 0 ? 'script ' : '       '} ${line}`);
  lines.push(paint.dim(`    replay  svc replay ${failure.replay}`));
  return lines.join('\n');
}

function reasons(
  requirements: readonly ReportRow[],
  verdict: 'notTestable' | 'notRun',
  { paint, columns }: Style,
): string {
  const rows = requirements.filter((row) => row.verdict === verdict);
  if (rows.length === 0) return '';
  const byReason = Map.groupBy(rows, ({ reason = 'no reason' }) => shortReason(reason));
  const title = verdict === 'notTestable' ? 'Not testable' : 'Not run';
  const lines = [...byReason]
    .toSorted((left, right) => right[1].length - left[1].length)
    .map(([reason, group]) => {
      const ids = group.length <= 3 ? ` (${group.map(({ id }) => id).join(', ')})` : '';
      return `  ${String(group.length).padStart(3)}  ${wrap(reason + ids, columns, '       ')}`;
    });
  return [paint.bold(`${title} (${rows.length})`), ...lines].join('\n');
}

function summary(report: Report, count: number, { paint, columns }: Style): string {
  const { totals, beyond, left, ended } = report;
  const lines = [
    `created ${report.created.length}, left ${left.length}, ${estimated(report)}spent ${report.spentUsd} US dollars`,
    ...left.flatMap((entry) => leftLines(entry, paint)),
  ];
  if (ended !== 'complete') lines.push(paint.yellow(`The run ended early: ${endings[ended]}.`));
  const errors = totals.errors + beyond.errors;
  if (errors > 0) lines.push(paint.red(`${errors} checks ended in a fault of the suite itself.`));
  if (beyond.passed + beyond.violations > 0) lines.push(beyondVerdict(beyond, paint));
  if (report.target.profile === 'full') lines.push(exercised(report));
  if (totals.violations > 0) lines.push(paint.red(paint.bold(violated(totals.violations, knownIn(report)))));
  const verdict = `No violation in ${totals.passed} of ${count} requirements.`;
  lines.push(wrap(totals.violations === 0 ? paint.green(verdict) : verdict, columns, ''));
  return lines.join('\n');
}

function estimated({ estimate, target }: Report): string {
  const paid = ['browser', 'task'].includes(target.spend);
  return estimate === undefined || !paid ? '' : `estimated at most ${estimate.atMostUsd}, `;
}

function exercised({ coverage }: Report): string {
  const offered = coverage.filter((row) => row.offered).length;
  return `${offered - notExercised(coverage).length} of ${offered} operations were exercised; see \`svc coverage\`.`;
}

function beyondVerdict({ passed, violations }: Totals, paint: Paint): string {
  const text = `Beyond the contract: ${passed} passed, ${violations} violated.`;
  return violations > 0 ? paint.red(text) : text;
}

function violated(count: number, known: number): string {
  const text = count === 1 ? '1 requirement is violated' : `${count} requirements are violated`;
  return known === 0 ? `${text}.` : `${text}, ${known} of them by known failures only.`;
}

function knownIn({ requirements }: Report): number {
  const known = requirements.filter(({ verdict, accepted }) => verdict === 'violation' && accepted !== undefined);
  return known.filter(({ profile }) => profile === 'documented').length;
}

function leftLines(entry: LeftEntry, paint: Paint): string[] {
  const { candidates, curl } = entry;
  return [
    paint.red(`  left: ${leftText(entry)}`),
    ...(candidates === undefined ? [] : [`    may be one of: ${candidates.join(', ')}`]),
    ...(curl === undefined ? [] : [`    ${entry.id === undefined ? 'list' : 'end '}    ${curl}`]),
  ];
}

/** One line that names what is left. */
export function leftText({ kind, generation, id, createdBy }: LedgerEntry): string {
  const what = `${generation} ${kind} ${id ?? 'of unknown id'}`;
  return id === undefined ? `${what}, whose ${createdBy} was never answered` : `${what}, which could not be ended`;
}
