import type { ClientExchange, TrialRun } from '../recording.ts';
import type { JsonValue } from '../../core/json.ts';
import { isTerminal, shownState } from '../states.ts';
import { hasEndEvent } from './reading.ts';
import {
  type JudgeTrial,
  answeredObject,
  broken,
  endText,
  isFinished,
  isSame,
  kept,
  ofKind,
  open,
  printedObject,
} from './judged.ts';

const intervalMinMs = 200;
/** Tolerance in ms for timers that fire early and for requests of different duration. */
const toleranceMs = 50;

/**
 * Judges CLIENT-POLL-01: two polls of the same task, session or run must be at least 200 ms apart, less a tolerance.
 * The same applies to a read of events after a page with `hasMore` false. Not judged are the last poll, which may
 * follow at once to read the whole record, and a program that was interrupted.
 */
export const keepsPollInterval: JudgeTrial = (run) => {
  // An interrupt changes the pace, so an interrupted program is not judged.
  const polls = run.interruptedMs === undefined ? ofKind(run, 'poll').filter(({ fault }) => fault === undefined) : [];
  // A follow-up starts a new wait.
  const creations = ofKind(run, 'create');
  const byQuestion = Map.groupBy(
    polls,
    ({ target, index }) => `${target} ${creations.filter((create) => create.index < index).length}`,
  );
  const pages = run.interruptedMs === undefined ? ofKind(run, 'events') : [];
  const pauses = [...[...byQuestion.values()].flatMap((same) => measurePauses(same)), ...measureEventPauses(pages)];
  if (pauses.length === 0) return open('the program asked once at most');
  const short = pauses.find(({ ms }) => ms < intervalMinMs - toleranceMs);
  if (short === undefined) return kept;
  return broken(
    `found ${Math.round(short.ms)} ms before the next question, expected at least ${intervalMinMs}`,
    short.poll,
  );
};

/**
 * Returns the time between each answer without a terminal state and the next poll. Omits the last poll, which may
 * follow at once to read the whole record.
 */
function measurePauses(same: readonly ClientExchange[]): { readonly poll: ClientExchange; readonly ms: number }[] {
  return same.slice(1).flatMap((poll, at) => {
    const before = same[at];
    // The last poll may follow at once, to read the whole record.
    const isLast = poll === same.at(-1);
    if (before === undefined || isTerminal(before) || isLast) return [];
    return [{ poll, ms: poll.atMs - (before.endedMs ?? before.atMs) }];
  });
}

/**
 * Returns the time between each page of events with `hasMore` false and the next read of events of the same run. Omits
 * a page that contains the event which ends the run.
 */
function measureEventPauses(
  pages: readonly ClientExchange[],
): { readonly poll: ClientExchange; readonly ms: number }[] {
  const byRun = Map.groupBy(pages, ({ operation }) => operation?.target);
  return [...byRun.values()].flatMap((same) =>
    same.slice(1).flatMap((poll, at) => {
      const before = same[at];
      if (before === undefined || answeredObject(before)?.['hasMore'] !== false || hasEndEvent(before)) return [];
      return [{ poll, ms: poll.atMs - (before.endedMs ?? before.atMs) }];
    }),
  );
}

/** Judges CLIENT-POLL-02: the program must wait for the time that Retry-After states. */
export const honoursRetryAfter: JudgeTrial = (run) => {
  const refused = run.exchanges.findIndex(
    ({ status, answerHeaders }) => status === 429 && 'retry-after' in answerHeaders,
  );
  const [before, next] = [run.exchanges[refused], run.exchanges[refused + 1]];
  if (before === undefined) return open('the program did not ask often enough to be refused');
  if (next === undefined) return open(`the program did not ask again after the refusal: ${endText(run)}`);
  const wantedMs = Number(before.answerHeaders['retry-after']) * 1000;
  const waitedMs = next.atMs - (before.endedMs ?? before.atMs);
  if (waitedMs >= wantedMs - toleranceMs) return kept;
  return broken(`found the next request after ${Math.round(waitedMs)} ms, expected at least ${wantedMs}`, next);
};

const growthMin = 1.2;
/**
 * A second wait of at least this number of ms is accepted without a comparison with the first wait, because a busy
 * machine can prolong the first wait.
 */
const longMs = 1_900;

/** Judges CLIENT-POLL-03: the program must increase its waits while the service refuses requests. */
export const backsOff: JudgeTrial = (run) => {
  const first = run.exchanges.findIndex(({ fault }) => fault?.do === 'refuse');
  const [one, two, three] = run.exchanges.slice(first, first + 3);
  if (first < 0 || one === undefined) return open('the program did not ask often enough to be refused');
  if (two === undefined || three === undefined) return open(`the program gave up: ${endText(run)}`);
  // Each wait is measured from an answer to the next request. A stall of the machine before an answer does not count.
  const [before, after] = [two.atMs - (one.endedMs ?? one.atMs), three.atMs - (two.endedMs ?? two.atMs)];
  if (after >= before * growthMin || after >= longMs) return kept;
  return broken(
    `found waits of ${Math.round(before)} and ${Math.round(after)} ms, expected the second to be longer`,
    three,
  );
};

/**
 * Judges CLIENT-POLL-04: the program must not poll after a terminal status. One further read is allowed, because it may
 * fetch the whole record.
 */
export const stopsAtEnd: JudgeTrial = (run) => {
  const polls = ofKind(run, 'poll');
  const ended = polls.findIndex((poll) => isTerminal(poll));
  const last = polls[ended];
  if (last === undefined) return open('the program did not ask until the end');
  const further = polls.slice(ended + 1);
  // The whole record may be read once.
  const second = further[1] ?? further.find((poll) => poll.operation?.id === last.operation?.id && isStatusOnly(poll));
  if (second === undefined && run.end.killed === undefined) return kept;
  return broken(
    `found further questions after ${shownState(last) ?? ''}, which is an end: ${endText(run)}`,
    second ?? last,
  );
};

function isStatusOnly({ operation }: ClientExchange): boolean {
  return operation?.id === 'getTaskStatus' || operation?.id === 'getRunStatus';
}

/** Judges CLIENT-POLL-05: the program must poll until it receives a terminal status. */
export const pollsUntilEnd: JudgeTrial = (run) => {
  const polls = ofKind(run, 'poll').filter(({ status }) => status === 200);
  if (polls.some((poll) => isTerminal(poll))) return kept;
  const last = polls.at(-1);
  if (last === undefined) return open('the program never asked for the state');
  return broken(`found no question after the state ${shownState(last) ?? ''}, which is no end: ${endText(run)}`, last);
};

/** Judges CLIENT-POLL-06: the program must print the result of its task. */
export const showsResult: JudgeTrial = (run) => {
  const last = ofKind(run, 'poll').findLast(({ status }) => status === 200);
  const acceptance = run.exchanges.find(({ kind }) => kind === 'create');
  if (acceptance === undefined) return broken(`found no request that gives the task: ${endText(run)}`);
  if (last === undefined && (acceptance.status > 200 || acceptance.status === 0))
    return open('the program stopped after the answer to its task');
  if (last === undefined) return broken(`found no question about the task: ${endText(run)}`, acceptance);
  if (!isTerminal(last)) return open('the program did not ask until the end');
  if (run.end.killed === 'polls on') return open('the program did not see the end');
  if (isStatusOnly(last)) return broken(`found no read of the record after the end: ${endText(run)}`, last);
  return showsRecord(run, last) ?? kept;
};

/** Returns true if an answer to a poll showed this state, and the state was not terminal. */
function hasShownBefore(run: TrialRun, state: JsonValue | undefined): boolean {
  return ofKind(run, 'poll').some((poll) => shownState(poll) === state && !isTerminal(poll));
}

/**
 * Compares the program's output with the record that it read last. Returns a violation if the program did not finish,
 * or if id, status or output differ. Returns an open result if the printed status is one that a poll showed before the
 * end. Returns undefined if output and record agree.
 */
export function showsRecord(run: TrialRun, last: ClientExchange): ReturnType<JudgeTrial> | undefined {
  const printed = printedObject(run);
  const record = answeredObject(last) ?? {};
  if (!isFinished(run) || printed === undefined) return broken(`found no result in its output: ${endText(run)}`, last);
  if (hasShownBefore(run, printed['status'])) return open('the program did not wait until the end');
  const expected = {
    id: record['id'],
    status: record['status'],
    output: record[run.trial.version === 'v4' ? 'result' : 'output'] ?? null,
  };
  const wrong = (['id', 'status', 'output'] as const).find((name) => !isSame(printed[name] ?? null, expected[name]));
  if (wrong === undefined) return undefined;
  const [found, wanted] = [JSON.stringify(printed[wrong]), JSON.stringify(expected[wrong])];
  return broken(`found ${wrong} ${found} in its output, expected ${wanted}`, last);
}
