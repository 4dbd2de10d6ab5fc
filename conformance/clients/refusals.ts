import type { JsonValue } from '../core/json.ts';
import type { Draw } from './draw.ts';
import { jsonAnswer } from './interference.ts';
import type { Answer } from './forward.ts';
import type { Fault } from './trial.ts';

/** An injected refusal, and the texts that the program has to print. */
export interface Refusal {
  readonly answer: Answer;
  readonly texts: readonly string[];
}

/** Creates the refusal of a fault with drawn texts. */
export function refusalOf({ as = 'fault', retryAfter }: Fault, draw: Draw): Refusal {
  const words: Words = [`no ${draw.word()} here`, `too much ${draw.word()}`];
  return as === 'rate' ? rate(retryAfter) : refusals[as](words);
}

type Words = readonly [string, string];

const refusals: Readonly<Record<Exclude<Fault['as'], 'rate' | undefined>, (words: Words) => Refusal>> = {
  list: (words) => ({ answer: refusal(422, words.map(validationError)), texts: words }),
  text: ([text]) => ({ answer: refusal(400, text), texts: [text] }),
  object: ([text]) => {
    const detail = { code: 'api_key_monthly_spend_limit_reached', message: text, cap: 10, spent: 10.5 };
    return { answer: refusal(402, detail), texts: [text] };
  },
  page: () => ({ answer: page(502, 'text/html', '<html><body><h1>Bad gateway</h1></body></html>'), texts: ['502'] }),
  busy: () => ({ answer: refusal(503, 'Service unavailable'), texts: [] }),
  fault: () => ({ answer: refusal(500, 'An internal server error occurred'), texts: [] }),
  expired: () => ({ answer: page(403, 'application/xml', '<Error><Code>AccessDenied</Code></Error>'), texts: [] }),
};

function validationError(msg: string, at: number): JsonValue {
  return { loc: ['body', at === 0 ? 'task' : 'model'], msg, type: 'value_error' };
}

function refusal(status: number, detail: JsonValue): Answer {
  return jsonAnswer({ status, headers: {} }, { detail });
}

function page(status: number, type: string, text: string): Answer {
  return { status, headers: { 'content-type': type }, body: Buffer.from(text) };
}

function rate(retryAfter: number | undefined): Refusal {
  const wait = retryAfter === undefined ? {} : { retry_after_seconds: retryAfter };
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { answer: jsonAnswer({ status: 429, headers }, { error: 'rate_limited', limit_rps: 25, ...wait }), texts: [] };
}
