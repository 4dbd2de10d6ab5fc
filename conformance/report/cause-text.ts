import type { Exchange } from '../core/exchange.ts';
import { type Cause, causeExample } from './causes.ts';
import { describeAcceptance } from './baseline-text.ts';
import { cut } from '../runner/failure-text.ts';
import type { Style } from './paint.ts';
import type { Failure, Report } from '../core/report.ts';
import { contractLines } from '../core/requirement.ts';
import { counted } from './words.ts';
import { wrap, wrapCommand, wrapJson } from './wrap.ts';

/** Maximum number of shown characters of a response. */
const bodyShown = 400;
/** Maximum length of a shown curl line, in characters. */
const curlMax = 2000;
/** Maximum number of shown names of a list. */
const namesShown = 8;

/** Renders one cause as text: its title and numbers, and with `example` a request and its response. */
export function causeText(
  cause: Cause,
  report: Report,
  { style, example }: { style: Style; example: boolean },
): string {
  const { paint, columns } = style;
  const { title, verdict, requirements, operations, cells, accepted, profile } = cause;
  const urgent = ['violation', 'error'].includes(verdict) ? paint.red : paint.yellow;
  const colour = accepted ? paint.dim : urgent;
  const tags = [...(profile === 'full' ? ['beyond the contract'] : []), ...(accepted ? ['accepted'] : [])];
  const word = `${verdict.toUpperCase()}${tags.length === 0 ? '' : ` (${tags.join(', ')})`}`;
  // Only the first word is coloured, so that the width of the line is known.
  const head = wrap(`${word} ${cut(title, 300)}`, columns, '  ').replace(word, () => colour(paint.bold(word)));
  const lists: [string, readonly string[]][] = [
    [counted(requirements.length, 'requirement'), requirements],
    [counted(operations.length, 'operation'), operations],
    [counted(cells.length, 'cell'), cells],
  ];
  const shown = lists.filter(([, names]) => names.length > 0);
  return [
    head,
    ...shown.map(([count, names]) => `  ${wrap(`${count}: ${listed(names)}`, columns, '    ')}`),
    ...(example ? exampleLines(cause, report, style) : []),
  ].join('\n');
}

function listed(names: readonly string[]): string {
  const more = names.length - namesShown;
  return more > 0 ? `${names.slice(0, namesShown).join(', ')} and ${more} more` : names.join(', ');
}

function exampleLines(cause: Cause, report: Report, { paint, columns }: Style): string[] {
  const example = causeExample(cause, report);
  if (example === undefined) return [];
  const { row, failure, exchange } = example;
  const indent = '    ';
  const acceptance = describeAcceptance(row);
  return [
    `  ${wrap(`example: ${row.id} ${row.level} ${row.text} ${paint.dim(`(${row.source})`)}`, columns, indent)}`,
    ...contractLines(row).map((line) => `${indent}${wrap(line, columns, indent)}`),
    ...(acceptance === undefined ? [] : [`${indent}${wrap(acceptance, columns, indent)}`]),
    ...(failure.message === cause.title ? [] : [`${indent}${wrap(cut(failure.message, 400), columns, indent)}`]),
    ...(failure.curl === undefined ? [] : [`${indent}${curlText(failure.curl, columns, indent)}`]),
    ...(exchange === undefined || report.client === undefined ? [] : [`${indent}${requestText(exchange, columns)}`]),
    ...(exchange === undefined ? [] : [`${indent}${answerText(exchange, columns, indent)}`]),
    ...(report.client === undefined ? [] : timelineLines(failure, columns, indent)),
    // A token cannot be broken: it has its own line, which a terminal joins when it is copied.
    paint.dim(`${indent}svc replay \\\n${failure.replay}`),
  ];
}

function requestText({ request: { method, url, headers, body = '' } }: Exchange, columns: number): string {
  const type = headers['content-type'] === undefined ? '' : ` (${headers['content-type']})`;
  return wrapJson(`request ${method} ${url}${type} ${cut(body, bodyShown)}`.trim(), columns, '    ');
}

/** Maximum number of shown requests of a client. */
const requestsShown = 12;

function timelineLines({ script = [] }: Failure, columns: number, indent: string): string[] {
  const lines = script.slice(-requestsShown).map((line) => `${indent}  ${wrap(line, columns, `${indent}    `)}`);
  return lines.length === 0 ? [] : [`${indent}its requests:`, ...lines];
}

/**
 * Renders a shell line for a terminal. For a line of more than `curlMax` characters, renders only its length, because a
 * shortened line would send another request.
 */
export function curlText(curl: string, columns: number, indent: string): string {
  if (curl.length <= curlMax) return wrapCommand(curl, columns, indent);
  return `curl: ${curl.length} characters, see \`--report json=FILE\``;
}

function answerText(
  { status, fault = 'unknown fault', body }: { status: number; fault?: string; body: string },
  columns: number,
  indent: string,
): string {
  const answer = status === 0 ? `no answer: ${fault}` : `answer ${status}`;
  return wrapJson(`${answer} ${cut(body.replaceAll(/\s+/g, ' '), bodyShown)}`.trim(), columns, indent);
}
