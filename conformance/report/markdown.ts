import { safeText } from '../core/safe-text.ts';
import { isLocalTarget } from '../core/target.ts';
import { describeAcceptance } from './baseline-text.ts';
import { type Cause, reportCauses } from './causes.ts';
import { cut, failureLines, failureTitle, unjudged } from '../runner/failure-text.ts';
import { nextSteps } from './next-steps.ts';
import type { Report, ReportRow, Totals } from '../core/report.ts';
import { contractLines } from '../core/requirement.ts';
import { runVerdict } from './verdict.ts';
import { createdText, worstFirst } from './words.ts';

/**
 * Maximum size of the rendered Markdown in bytes. A pull request comment may have 65,536 characters; the remaining
 * characters are for text around the report.
 */
export const markdownBytesMax = 60_000;

/** Maximum size in bytes of the list of remaining resources, and also of the list of next steps. */
const linesBytesMax = 10_000;

/** Room in bytes for the note about omitted parts. */
const noteBytes = 100;

const failuresShown = 3;
const codeShown = 1500;
const causesShown = 20;

/**
 * Maximum length in characters of the verdict (`verdictShown`), and of a URL or an id at the top of the report
 * (`nameShown`). Escaping turns a character into at most 10 bytes, so these texts leave room for the findings.
 */
const [verdictShown, nameShown] = [1000, 300];

/**
 * Renders a report as Markdown for a pull request or a build summary, in at most `markdownBytesMax` bytes. States the
 * number of omitted parts and lines.
 */
export function renderMarkdown(report: Report): string {
  const verdict = plain(cut(runVerdict(report).text, verdictShown));
  const remaining = fit(leftLines(report), linesBytesMax, { noun: 'line', source: 'JSON' });
  const head = [`## ${verdict}`, facts(report), totals(report), ...ending(report), ...remaining];
  const causes = reportCauses(report);
  const findings = [...causeTable(causes), ...worstFirst(report.requirements).map((row) => finding(row, report))];
  const steps = fit(nextSteps(report).map(plain), linesBytesMax, { noun: 'line', source: 'terminal' });
  const foot = [...steps, `**${verdict}**`];
  const room = markdownBytesMax - size(head) - size(foot);
  const blocks = fit([...findings, ...gaps(report)], room, { noun: 'part', source: 'JSON' });
  return `${[...head, ...blocks, ...foot].join('\n\n')}\n`;
}

/** Returns the size of parts in bytes; each part counts with the two line breaks that follow it. */
function size(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 2, 0);
}

/** Noun for the omitted parts in a note, and the report that contains them. */
interface Omission {
  noun: 'part' | 'line';
  source: 'JSON' | 'terminal';
}

/**
 * Returns the first parts that fit into a number of bytes, with a note about the number of omitted parts. Never cuts a
 * part, because a partial block would break the text after it.
 */
function fit(parts: readonly string[], bytes: number, { noun, source }: Omission): string[] {
  let left = bytes - noteBytes;
  const end = parts.findIndex((part) => (left -= size([part])) < 0);
  if (end === -1) return [...parts];
  const missing = parts.length - end;
  const note =
    missing === 1
      ? `1 more ${noun} does not fit here; the ${source} report has it.`
      : `${missing} more ${noun}s do not fit here; the ${source} report has them.`;
  return [...parts.slice(0, end), `*${note}*`];
}

// The table of causes comes before the findings; ids and cells are collapsed below.
function causeTable(causes: readonly Cause[]): string[] {
  if (causes.length === 0) return [];
  const lines = causes.slice(0, causesShown).map(({ verdict, title, requirements, operations, cells }) => {
    const counts = [requirements.length, operations.length, cells.length].join(' | ');
    return `| ${verdict} | ${plain(cut(title, 300))} | ${counts} |`;
  });
  const more = causes.length > causesShown ? [`\n*and ${causes.length - causesShown} more causes*`] : [];
  return [
    [
      '| Verdict | Cause | Requirements | Operations | Cells |',
      '| --- | --- | ---: | ---: | ---: |',
      ...lines,
      ...more,
    ].join('\n'),
  ];
}

function facts({ target, seed, exchangeCount, durationMs, created, left, spentUsd }: Report): string {
  const { url, profile, spend } = target;
  const parts = [
    plain(cut(url, nameShown)),
    `profile ${profile}`,
    `spend ${spend}`,
    `seed ${seed}`,
    `${exchangeCount} requests`,
    `${(durationMs / 1000).toFixed(1)} s`,
    `created ${createdText(created)}, left ${left.length}`,
    ...(isLocalTarget(target) ? [] : [`${spentUsd} US dollars`]),
  ];
  return parts.join(' · ');
}

function totals({ totals: contract, beyond }: Report): string {
  const columns: [string, keyof Totals][] = [
    ['Passed', 'passed'],
    ['Violated', 'violations'],
    ['Warnings', 'warnings'],
    ['Notes', 'notes'],
    ['Not testable', 'notTestable'],
    ['Not run', 'notRun'],
    ['Errors', 'errors'],
  ];
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const count = (name: string, values: Totals): string => row([name, ...columns.map(([, key]) => values[key])]);
  return [
    row(['', ...columns.map(([word]) => word)]),
    row(['---', ...columns.map(() => '---:')]),
    count('Contract', contract),
    count('Beyond it', beyond),
  ].join('\n');
}

function ending({ ended }: Report): string[] {
  return ended === 'complete' ? [] : [`**The run ended early (${ended}).**`];
}

function leftLines({ left }: Report): string[] {
  return left.map(
    ({ generation, kind, id = 'of unknown id' }) => `**Left: ${generation} ${kind} ${plain(cut(id, nameShown))}.**`,
  );
}

function finding(row: ReportRow, { exchanges }: Report): string {
  const { level, id, text, source, cells, reason, failures } = row;
  const accepted = describeAcceptance(row);
  const share = cells.total > 1 ? ` (${cells.failed} of ${cells.judged} cells)` : '';
  const title = `<b>${row.verdict.toUpperCase()}</b> ${level} <b>${plain(id)}</b>${share}: ${plain(text)}`;
  const shown = failures
    .slice(0, failuresShown)
    .flatMap((failure) => [
      plain(cut(failureTitle(failure), codeShown)),
      fenced(failureLines(failure, exchanges).map((line) => cut(line, codeShown))),
    ]);
  return [
    `<details><summary>${title}</summary>`,
    ...contractLines(row).map(plain),
    plain(source),
    ...(accepted === undefined ? [] : [`**${plain(accepted)}**`]),
    ...(reason === undefined ? [] : [plain(cut(reason, codeShown))]),
    ...shown,
    ...(failures.length > failuresShown ? [`*and ${failures.length - failuresShown} more*`] : []),
    '</details>',
  ].join('\n\n');
}

// A title and a table: the table is one block, and is cut separately if there are many reasons.
function gaps(report: Report): string[] {
  const reasons = unjudged(report);
  if (reasons.length === 0) return [];
  const rowsShown = 60;
  const lines = reasons.slice(0, rowsShown).map(([reason, rows]) => {
    const ids = rows.slice(0, 3).map(({ id }) => plain(id));
    const more = rows.length > 3 ? `${ids.join(', ')}, ...` : ids.join(', ');
    return `| ${rows.length} | ${plain(cut(reason, 300))} | ${more} |`;
  });
  const count = reasons.reduce((sum, [, rows]) => sum + rows.length, 0);
  const rest = reasons.length > rowsShown ? [`\n*and ${reasons.length - rowsShown} more reasons*`] : [];
  const table = ['| Rows | Reason | Ids |', '| ---: | --- | --- |', ...lines, ...rest].join('\n');
  return [`<details><summary>Not judged: ${count} requirements</summary>\n\n${table}\n\n</details>`];
}

/** Escapes text for Markdown and HTML, on one line: without formatting, links or mentions of a person. */
function plain(text: string): string {
  const line = safeText(text).replaceAll(/\s+/g, ' ').trim();
  return line.replaceAll(/[&<>`*_[\]|@#~\\]/g, entity).replaceAll(/:(?=\/\/)|(?<=\bwww)\./gi, entity);
}

function entity(sign: string): string {
  return `&#${sign.codePointAt(0)};`;
}

/** Returns a code block whose fence is longer than any fence in its lines. */
function fenced(lines: readonly string[]): string {
  const text = safeText(lines.join('\n')).replaceAll('\t', ' ');
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${text}\n${fence}`;
}
