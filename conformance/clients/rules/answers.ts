import { type JsonValue, toText } from '../../core/json.ts';
import type { TrialRun } from '../recording.ts';
import { isTerminal } from '../states.ts';
import {
  type JudgeTrial,
  type Judged,
  broken,
  calls,
  endText,
  isFinished,
  kept,
  ofKind,
  open,
  printedObject,
} from './judged.ts';
import { showsRecord } from './polling.ts';

/**
 * Judges CLIENT-ANSWER-01, -02 and -04, and CLIENT-NETWORK-01 to -03: despite the fault `what`, the program must poll
 * until a terminal state and print the last record.
 */
export function finishesDespite(what: string): JudgeTrial {
  return (run) => {
    if (!run.exchanges.some((exchange) => isStruck(run, exchange.status))) return open(`the program saw no ${what}`);
    const last = ofKind(run, 'poll').findLast(({ status }) => status === 200);
    if (!isFinished(run)) return broken(`found no result after ${what}: ${endText(run)}`, last ?? run.exchanges.at(-1));
    if (last === undefined || !isTerminal(last)) return broken(`found no wait until the end after ${what}`, last);
    return showsRecord(run, last) ?? kept;
  };
}

function isStruck({ exchanges, states }: TrialRun, status: number): boolean {
  return status > 0 && (states.length > 0 || exchanges.some(({ fault }) => fault !== undefined));
}

/** Judges CLIENT-ANSWER-03: the program must print an event with an undocumented type like any other event. */
export const passesOnNewKinds: JudgeTrial = (run) => {
  const { kind } = run.planted;
  if (kind === undefined || !run.exchanges.some(({ answer }) => answer.includes(kind)))
    return open('the program read no event of a new kind');
  if (!isFinished(run)) return broken(`found no result after an event of a new kind: ${endText(run)}`);
  if (listEventTypes(printedObject(run)?.['events']).includes(kind)) return kept;
  return broken(
    `found no event ${kind} in its output, expected it among the others`,
    run.exchanges.find(({ answer }) => answer.includes(kind)),
  );
};

function listEventTypes(events: JsonValue | undefined): string[] {
  return Array.isArray(events) ? events.map((event) => answeredType(event)) : [];
}

function answeredType(event: JsonValue): string {
  return typeof event === 'object' && event !== null && !Array.isArray(event) ? toText(event['type']) : '';
}

/** Judges CLIENT-ANSWER-05: the program must print an amount of money with all of its digits. */
export const keepsDecimals: JudgeTrial = (run) => {
  const { decimal } = run.planted;
  const last = ofKind(run, 'poll').findLast(({ status }) => status === 200);
  if (decimal === undefined || last === undefined) return open('the program read no sum of money');
  if (!isFinished(run)) return broken(`found no result after a long decimal: ${endText(run)}`, last);
  const shown = printedObject(run)?.['cost'];
  return shown === decimal ? kept : broken(`found cost ${JSON.stringify(shown)}, expected "${decimal}"`, last);
};

/** Judges CLIENT-ANSWER-06: the program must treat every 2xx status as a success. */
export const acceptsSuccesses: JudgeTrial = (run) => {
  const others = calls(run).filter(({ status }) => status > 200 && status < 300);
  if (others.length === 0) return open('every success was a 200');
  const last = run.exchanges.at(-1);
  // With a CDP connection, the last action of the program may be a CDP message instead of the last request.
  const isLast = last !== undefined && others.includes(last) && run.sockets.length === 0;
  if (!isLast || run.end.code === 0 || run.end.killed !== undefined || run.interruptedMs !== undefined) return kept;
  return broken(`found a fault after ${last.status}, which is a success: ${endText(run)}`, last);
};

/** Judges CLIENT-ERROR-01 to -04: the program must print the error text of a refusal and exit with a failure. */
export const showsRefusal: JudgeTrial = (run) => {
  const refused = run.exchanges.find(({ fault }) => fault?.do === 'refuse');
  if (refused === undefined) return open('the program was not refused');
  if (run.end.killed !== undefined) return open(`the program did not end: ${endText(run)}`);
  if (run.end.code === 0) return broken('found success after a refusal, expected a fault', refused);
  const said = `${run.end.stdout}\n${run.end.stderr}`;
  const missing = run.planted.texts.find((text) => !said.includes(text));
  return missing === undefined
    ? kept
    : broken(`found no ${JSON.stringify(missing)} in its output: ${endText(run)}`, refused);
};

/** Judges CLIENT-ERROR-05: the program must not repeat a refused request. */
export const doesNotRepeatRefused: JudgeTrial = (run) => {
  const creations = ofKind(run, 'create');
  if (creations.length === 0) return open('the program gave no task');
  const again = creations[1];
  return again === undefined ? kept : broken('found the refused request again, expected a fault', again);
};

/** Judges CLIENT-NETWORK-04: the program must end by itself, with a failure, when it receives no response. */
export const timesOut: JudgeTrial = (run): Judged => {
  const silent = run.exchanges.find(({ fault }) => fault?.do === 'hang');
  if (silent === undefined) return open('the program did not come to the request that is not answered');
  if (run.end.killed !== undefined)
    return broken(`found no end after ${Math.round(run.end.atMs)} ms, expected a fault after the time-out`, silent);
  return run.end.code === 0 ? broken('found success without an answer, expected a fault', silent) : kept;
};
