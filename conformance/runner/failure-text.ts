import type { Exchange } from '../core/exchange.ts';
import type { Failure, Report, ReportRow } from '../core/report.ts';

/** Maximum number of shown characters of a response. */
const bodyShown = 600;

/**
 * Returns the lines that explain a failure: the smallest failing input, if any, the commands that reproduce the
 * failure, the response, and the command that replays it.
 */
export function failureLines(failure: Failure & { script?: string[] }, exchanges: readonly Exchange[]): string[] {
  const { counterexample, curl, replay, script = [] } = failure;
  const exchange = failure.exchange === undefined ? undefined : exchanges[failure.exchange];
  const single = curl === undefined ? [] : [curl];
  return [
    ...(counterexample === undefined ? [] : [`input: ${counterexample}`]),
    ...(script.length === 0 ? single : script),
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

/** Groups the rows with the verdict notTestable or notRun by their reason. The reason of most rows comes first. */
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
 * Returns the first `length` UTF-16 code units of a longer text, and the length of the whole text. If the cut splits a
 * surrogate pair, its half becomes U+FFFD. Returns a shorter text unchanged.
 */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (${text.length} characters)`;
}

/** Meaning of each class of exclusions, as text. */
export const exclusions: Readonly<Record<string, string>> = {
  advice: 'advice that no answer can violate',
  'no-criterion': 'the contract gives no criterion',
  'client-rule': 'a rule for clients, not for a server',
  'needs-provider-stub': 'only a stub of the model provider could see it',
  'needs-operator-view': 'visible only to the operator of the service',
  'not-written': 'no check is written yet',
};

/**
 * Returns the reason of an unjudged row for a list of reasons. For a row that is excluded from checking, returns the
 * meaning of its class of exclusion; only `svc explain` shows the rest. Returns any other reason unchanged.
 */
export function shortReason(reason: string): string {
  const kind = /^([a-z]+(?:-[a-z]+)*): /.exec(reason)?.[1];
  return (kind === undefined ? undefined : exclusions[kind]) ?? reason;
}
