import type { Exchange } from '../core/exchange.ts';
import type { Failure, Report, ReportRow } from '../core/report.ts';

/** Maximum number of shown characters of a response. */
const bodyShown = 600;

/** Returns the lines that explain a failure: the request, the response, and the commands that reproduce it. */
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

/**
 * Returns the message of a failure, preceded by the id of the covered requirement: "V3-THINK-21: glm-5.2 medium
 * answered 200".
 */
export function failureTitle({ requirement, message }: Failure): string {
  return requirement === undefined ? message : `${requirement}: ${message}`;
}

/** Groups unjudged rows by reason; the most frequent reason first. */
export function unjudged({ requirements }: Pick<Report, 'requirements'>): [string, ReportRow[]][] {
  const rows = requirements.filter(({ verdict }) => verdict === 'notTestable' || verdict === 'notRun');
  const byReason = Map.groupBy(
    rows,
    ({ verdict, reason = 'no reason' }) =>
      `${verdict === 'notRun' ? 'not run' : 'not testable'}: ${shortReason(reason)}`,
  );
  return [...byReason].toSorted((left, right) => right[1].length - left[1].length);
}

/**
 * Truncates a text that is longer than `length` UTF-16 code units, and appends its full length. Half a surrogate pair
 * at the cut becomes U+FFFD.
 */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (${text.length} characters)`;
}

/** Meaning of each class of exclusions, as text. */
export const exclusions: Readonly<Record<string, string>> = {
  advice: 'advice that no answer can violate',
  'no-criterion': 'the contract gives no criterion',
  'client-rule': 'a rule for clients, not for a server',
  'not-shown': 'the contract does not show the operation',
  'needs-provider-stub': 'only a stub of the model provider could see it',
  'needs-operator-view': 'visible only to the operator of the service',
  'not-written': 'no check is written yet',
};

/**
 * For the reason of an excluded row, returns the meaning of its class without the detail, which only `svc explain`
 * shows. Returns any other reason unchanged.
 */
export function shortReason(reason: string): string {
  const kind = /^([a-z]+(?:-[a-z]+)*): /.exec(reason)?.[1];
  return (kind === undefined ? undefined : exclusions[kind]) ?? reason;
}
