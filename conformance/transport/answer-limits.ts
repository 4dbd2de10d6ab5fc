import { type JsonSize, measureJson, suiteLimit } from '../core/bounds.ts';
import type { RequestSpec } from '../core/request.ts';
import type { Answer, AnswerLimit, TransportRequest } from '../core/transport.ts';

const whatExceeds: Readonly<Record<AnswerLimit, (bound: number) => string>> = {
  answerBytes: (bound) => `its body is longer than ${bound} bytes`,
  answerHeaders: (bound) => `its headers are longer than ${bound} bytes`,
  answerCodings: (bound) => `its body has more than ${bound} content codings`,
  answerInterim: (bound) => `more than ${bound} interim answers (1xx) came before it`,
  answerJsonDepth: (bound) => `its JSON is nested deeper than ${bound} levels`,
  answerJsonValues: (bound) => `its JSON has more than ${bound} values`,
  answerTime: (bound) => `its body had not ended after ${bound} ms`,
};

/** A response that exceeds a limit, as far as it was received. */
export interface Exceeding {
  limit: AnswerLimit;
  /** Value of the limit that the response exceeds. @defaultValue the suite's value of `limit` */
  bound?: number;
  /** HTTP status; 0 when none arrived. */
  status: number;
  headers: Record<string, string>;
  /** The received beginning of the body, of which the answer contains only the first kilobytes. */
  bytes: Uint8Array;
}

/**
 * For a range request: returns an answer with the beginning of the body, because HTTP allows a server to send the
 * complete body instead of the range. Returns undefined for a request without a range.
 */
export function takeRequestedRange(
  { headers: asked }: Pick<TransportRequest, 'headers'>,
  known: Omit<Exceeding, 'limit'>,
): Answer | undefined {
  if (asked['range'] === undefined) return undefined;
  const { status, headers, bytes } = known;
  return { status, headers, body: new TextDecoder().decode(bytes.subarray(0, suiteLimit('answerExcerpt'))) };
}

/** Creates the result for a response beyond a limit: status 0, the reason, and the first kilobytes of the body. */
export function exceedingAnswer({ limit, bound, status, headers, bytes }: Exceeding): Answer {
  const answered = status === 0 ? 'the answer was given up' : `the answer ${status} was given up`;
  const excerpt = bytes.subarray(0, suiteLimit('answerExcerpt'));
  return {
    status: 0,
    headers,
    body: new TextDecoder().decode(excerpt),
    fault: `${answered}: ${whatExceeds[limit](bound ?? suiteLimit(limit))}`,
    exceeds: limit,
  };
}

/** Limits the size of each response and of all responses together, because a run keeps every response until its end. */
export interface AnswerBudget {
  /**
   * Returns the answer itself if it exceeds no limit. Otherwise returns an answer with status 0, the reason, and the
   * first kilobytes of the body.
   */
  admit(answer: Answer): Answer;
}

/**
 * Creates the response limits of one run. Responses of a replay are not limited, because they were limited when they
 * were recorded. `onFull` is called with a reason and ends the run when all responses together exceed their limit,
 * which need not be a fault of the target: lists may be long.
 */
export function createAnswerBudget(onFull: (reason: string) => void): AnswerBudget {
  const perAnswer = { depth: suiteLimit('answerJsonDepth'), values: suiteLimit('answerJsonValues') };
  const perRun = { bytes: suiteLimit('runAnswerBytes'), values: suiteLimit('runAnswerValues') };
  const excerpt = suiteLimit('answerExcerpt');
  const spent = { bytes: 0, values: 0 };

  function limitExceededBy({ body }: Answer, { depth, values }: JsonSize): AnswerLimit | undefined {
    if (body.length > suiteLimit('answerBytes')) return 'answerBytes';
    if (depth > perAnswer.depth) return 'answerJsonDepth';
    if (values > perAnswer.values) return 'answerJsonValues';
    return undefined;
  }

  function keep({ body }: Answer, { values }: JsonSize): void {
    spent.bytes += body.length;
    spent.values += values;
    if (spent.bytes > perRun.bytes) onFull(`the answers of the run are longer than ${perRun.bytes} bytes together`);
    else if (spent.values > perRun.values)
      onFull(`the answers of the run have more than ${perRun.values} JSON values together`);
  }

  return {
    admit: (answer) => {
      if (answer.times !== undefined || answer.exceeds !== undefined) return answer;
      const size = measureJson(answer.body, perAnswer);
      const limit = limitExceededBy(answer, size);
      if (limit !== undefined) {
        return exceedingAnswer({ ...answer, limit, bytes: Buffer.from(answer.body.slice(0, excerpt)) });
      }
      keep(answer, size);
      return answer;
    },
  };
}

/** Maximum number of requests in a row without service: five times the default number of requests in flight. */
const unservedMax = 40;

/** Statuses with which a target may demand a wait. */
const busyStatuses: readonly number[] = [429, 502, 503, 504];

/** Counts the requests in a row that a target does not serve. */
export interface ServiceWatch {
  /** Counts a response, unless its request leads elsewhere or is meant to cause an overload. */
  note(answer: Answer, asked: Pick<RequestSpec, 'generation' | 'overload'>): void;
}

/**
 * Creates a watch that calls `onUnserved` with a reason after `unservedMax` requests in a row without service: each
 * response was missing or incomplete after `timeoutMs`, or demanded a wait by `Retry-After`. A run of hundreds of such
 * requests would take hours. Ignores the responses of a replay, because the recording contains the end of its run.
 */
export function createServiceWatch(timeoutMs: number, onUnserved: (reason: string) => void): ServiceWatch {
  let unserved = 0;

  function isUnserved({ status, headers, fault, exceeds }: Answer): boolean {
    if (status === 0) return exceeds === 'answerTime' || fault === faultAfter(timeoutMs);
    return busyStatuses.includes(status) && headers['retry-after'] !== undefined;
  }

  return {
    note: (answer, { generation, overload }) => {
      if (answer.times !== undefined || generation === 'other' || overload === true) return;
      unserved = isUnserved(answer) ? unserved + 1 : 0;
      if (unserved === unservedMax)
        onUnserved(
          `${unservedMax} requests in a row had no answer within ${timeoutMs} ms, or one that demands a wait (Retry-After)`,
        );
    },
  };
}

/** Returns the fault of a request without a response after its timeout. */
export function faultAfter(timeoutMs: number): string {
  return `nothing within ${timeoutMs} ms`;
}
