import { type JsonObject, type JsonValue, isJsonObject, parseJson } from '../../core/json.ts';
import type { ClientExchange, RequestKind, TrialRun } from '../recording.ts';

/** Result of judging one trial by one rule. */
export type Judged =
  | { readonly verdict: 'kept' }
  | { readonly verdict: 'broken'; readonly message: string; readonly exchange?: ClientExchange }
  /** The trial or the traffic did not reach the situation that the rule is about, so there is no verdict. */
  | { readonly verdict: 'open'; readonly reason: string };

/** Judges one trial. */
export type JudgeTrial = (run: TrialRun) => Judged;

/** Result of a trial that complies with the rule. */
export const kept: Judged = { verdict: 'kept' };

/** Creates the result of a trial that violates the rule, with the exchange that proves it. */
export function broken(message: string, exchange?: ClientExchange): Judged {
  return { verdict: 'broken', message, ...(exchange === undefined ? {} : { exchange }) };
}

/** Creates the result of a trial that proves neither compliance nor a violation. */
export function open(reason: string): Judged {
  return { verdict: 'open', reason };
}

/**
 * Returns a violation for the first request for which `find` returns a message. Returns compliance if `find` returns no
 * message.
 */
export function brokenByFirst(
  exchanges: readonly ClientExchange[],
  find: (exchange: ClientExchange) => string | undefined,
): Judged {
  for (const exchange of exchanges) {
    const message = find(exchange);
    if (message !== undefined) return broken(message, exchange);
  }
  return kept;
}

/** Returns the requests of the given kinds, in order. */
export function ofKind({ exchanges }: TrialRun, ...kinds: readonly RequestKind[]): ClientExchange[] {
  return exchanges.filter(({ kind }) => kinds.includes(kind));
}

/** Returns the requests to documented operations. */
export function calls({ exchanges }: TrialRun): ClientExchange[] {
  return exchanges.filter(({ operation, host }) => operation !== undefined && host === 'service');
}

/** Returns the body of a request as JSON; undefined if it is not JSON. */
export function sentJson({ body }: ClientExchange): JsonValue | undefined {
  return parseJson(body.toString());
}

/** Returns the body of an answer as a JSON object; undefined for any other body. */
export function answeredObject({ answer }: ClientExchange): JsonObject | undefined {
  const json = parseJson(answer.toString());
  return isJsonObject(json) ? json : undefined;
}

/** Returns the program's output if it is a JSON object; undefined otherwise. */
export function printedObject({ printed }: TrialRun): JsonObject | undefined {
  return isJsonObject(printed) ? printed : undefined;
}

/** Returns true if the program ended with exit code 0, was not killed, and printed a JSON object as its result. */
export function isFinished(run: TrialRun): boolean {
  return run.end.killed === undefined && run.end.code === 0 && printedObject(run) !== undefined;
}

/** Returns how the program ended, as text for a message. */
export function endText({ end: { code, killed, stderr, stdout } }: TrialRun): string {
  const lines = [...tellingLines(stderr), ...tellingLines(stdout)];
  const said = (lines.find((line) => /^[A-Za-z][\w.]*(?: \[\w+\])?: /.test(line)) ?? lines.at(-1))
    ?.trim()
    .slice(0, 200);
  const how = {
    late: 'it did not end and was killed',
    'polls on': 'it went on asking and was killed',
    none: code === null ? 'a signal ended it' : `it ended with code ${code}`,
  }[killed ?? 'none'];
  return said === undefined ? how : `${how}, and said: ${said}`;
}

/**
 * Returns the lines of an output without empty lines, stack frames and notices of Node, which do not explain a fault.
 */
function tellingLines(output: string): string[] {
  const isTelling = (line: string): boolean =>
    line.trim() !== '' && !/^\s+at |^Node\.js v|^\(node:|^\(Use `/.test(line);
  return output.split('\n').filter(isTelling);
}

/** Returns true if two JSON values are equal. The order of object members does not matter. */
export function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_name, member: JsonValue) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}
