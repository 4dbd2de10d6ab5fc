import type { ModelAnswer } from '#agent/model/model-call.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type Behaviour, answerJson, answerWell } from './start-provider-stub.ts';

/** A fault between the service and a provider, independent of the API. */
export interface Fault {
  readonly given: string;
  /** Behaviour of the provider for each request; the last behaviour repeats. */
  readonly does: readonly Behaviour[];
  readonly want: 'reply' | Extract<ModelAnswer, { readonly ok: false }>['failure']['kind'];
  /** Expected number of requests at the provider. */
  readonly requests: number;
  /** Expected waits between the requests of the service, in milliseconds. */
  readonly waits: readonly number[];
  readonly timeoutMs?: number;
}

const page =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Sign in</body></html>');
  };
const cut: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' }).write('{"half": ');
  response.destroy();
};
const reset: Behaviour = (response) => response.destroy();
/** Behaviour of a provider that never answers. */
export const silent: Behaviour = () => undefined;
const slowBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"half": ');
};
const garbage: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"half": ');
};
const large: Behaviour = (response) => {
  const { answerBytesMax } = defaultRules.providers.calls;
  response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(answerBytesMax + 1));
};
const redirect: Behaviour = (response) => {
  response.writeHead(307, { location: '/elsewhere/v1/responses' }).end();
};
/** Creates a behaviour that answers with an error. */
export const says = (status: number, error: object, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  answerJson(status, { error }, headers);
const noQuota = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota.' };
const noBalance = { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' };
const retryInfo = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }];
const badKey = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
const five = [750, 1500, 3000, 6000];

/**
 * Faults of every kind. Each has the provider's behaviour, the expected result, the expected number of requests and the
 * expected waits.
 */
export const faults: readonly Fault[] = [
  { given: '401', does: [says(401, { type: 'authentication_error' })], want: 'unauthorised', requests: 1, waits: [] },
  { given: '403', does: [says(403, { type: 'permission_error' })], want: 'unauthorised', requests: 1, waits: [] },
  { given: '400 over the key', does: [says(400, { details: badKey })], want: 'unauthorised', requests: 1, waits: [] },
  { given: '402', does: [says(402, { type: 'billing_error' })], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '429 without quota', does: [says(429, noQuota)], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '400 without balance', does: [says(400, noBalance)], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '429 with code 1113', does: [says(429, { code: '1113' })], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '429 once', does: [says(429, {}), answerWell()], want: 'reply', requests: 2, waits: [750] },
  {
    given: '429 with a time in seconds',
    does: [says(429, {}, { 'retry-after': '2' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [2000],
  },
  {
    given: '429 with a time in its body',
    does: [says(429, { status: 'RESOURCE_EXHAUSTED', details: retryInfo }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [7000],
  },
  {
    given: '503 with a date',
    does: [says(503, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [9000],
  },
  { given: '429 for good', does: [says(429, {})], want: 'rate-limited', requests: 5, waits: five },
  {
    given: '429 with a time that is too long',
    does: [says(429, {}, { 'retry-after': '600' })],
    want: 'rate-limited',
    requests: 1,
    waits: [],
  },
  { given: '500 once', does: [says(500, {}), answerWell()], want: 'reply', requests: 2, waits: [750] },
  {
    given: '502 with a page',
    does: [page(502), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [750],
  },
  { given: '503 for good', does: [says(503, {})], want: 'overloaded', requests: 5, waits: five },
  {
    given: '529 once',
    does: [says(529, { type: 'overloaded_error' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [750],
  },
  { given: '400', does: [says(400, { type: 'invalid_request_error' })], want: 'bad-request', requests: 1, waits: [] },
  {
    given: '400 with a number in its words',
    does: [says(400, { code: 'invalid_value', message: 'max_tokens is 1113, expected at most 1024' })],
    want: 'bad-request',
    requests: 1,
    waits: [],
  },
  { given: '404', does: [says(404, { type: 'not_found_error' })], want: 'bad-request', requests: 1, waits: [] },
  {
    given: 'an error with status 200',
    does: [says(200, { code: 429, message: 'slow down' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [750],
  },
  { given: 'a reset before the answer, once', does: [reset, answerWell()], want: 'reply', requests: 2, waits: [750] },
  { given: 'a reset for good', does: [reset], want: 'cut-off', requests: 3, waits: [750, 1500] },
  { given: 'an answer cut within', does: [cut], want: 'cut-off', requests: 3, waits: [750, 1500] },
  { given: 'no answer', does: [silent], want: 'timeout', requests: 2, waits: [750], timeoutMs: 200 },
  {
    given: 'an answer that does not end',
    does: [slowBody],
    want: 'timeout',
    requests: 2,
    waits: [750],
    timeoutMs: 200,
  },
  { given: 'a page for an answer', does: [page(200)], want: 'garbled', requests: 2, waits: [750] },
  { given: 'half a JSON object', does: [garbage, answerWell()], want: 'reply', requests: 2, waits: [750] },
  { given: 'JSON that is no object', does: [answerJson(200, ['no'])], want: 'garbled', requests: 2, waits: [750] },
  { given: 'an empty object', does: [answerJson(200, {})], want: 'garbled', requests: 2, waits: [750] },
  { given: 'an endless answer', does: [large], want: 'garbled', requests: 2, waits: [750] },
  { given: 'a redirect', does: [redirect], want: 'garbled', requests: 2, waits: [750] },
];
