import type { Exchange } from '../core/exchange.ts';
import type { Failure, Report, ReportRow } from '../core/report.ts';
import { shortReason } from './short-reason.ts';

/** The characters of an answer that are worth showing. */
const bodyShown = 600;

/** The lines that lead to a failure: what was sent, what came back, and how to see it again. */
export function failureLines(failure: Failure & { script?: string[] }, exchanges: readonly Exchange[]): string[] {
  const { counterexample, curl, replay, script = [] } = failure;
  const exchange = failure.exchange === undefined ? undefined : exchanges[failure.exchange];
  return [
    ...(counterexample === undefined ? [] : [`input: ${counterexample}`]),
    ...(script.length === 0 ? (curl === undefined ? [] : [curl]) : script),
    ...(exchange === undefined ? [] : [answerLine(exchange)]),
    `svc replay ${replay}`,
  ];
}

function answerLine({ status, body, fault = 'unknown fault' }: Exchange): string {
  const shown = cut(body, bodyShown);
  return status === 0
    ? `no answer: ${fault}${shown === '' ? '' : `; it begins with ${shown}`}`
    : `answer: ${status} ${shown}`;
}

/** "V3-THINK-21: glm-5.2 medium answered 200": the message, with the covered requirement that it is about. */
export function failureTitle({ requirement, message }: Failure): string {
  return requirement === undefined ? message : `${requirement}: ${message}`;
}

/** What was not looked at, by reason; the most frequent first. */
export function unjudged({ requirements }: Pick<Report, 'requirements'>): [string, ReportRow[]][] {
  const rows = requirements.filter(({ verdict }) => verdict === 'notTestable' || verdict === 'notRun');
  const byReason = Map.groupBy(
    rows,
    ({ verdict, reason = 'no reason' }) =>
      `${verdict === 'notRun' ? 'not run' : 'not testable'}: ${shortReason(reason)}`,
  );
  return [...byReason].toSorted((left, right) => right[1].length - left[1].length);
}

/** At most so many characters, never half of one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (${text.length} characters)`;
}
