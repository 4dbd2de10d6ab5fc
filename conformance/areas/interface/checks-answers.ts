import { check, type Check, type CheckContext, law } from '../../core/check.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { isJsonObject, type JsonValue, memberAt } from '../../core/json.ts';
import { carries } from '../../common/judgement.ts';
import { show } from '../../core/text.ts';
import { allOperations, type Operation, findOperation, offeredEndpoint } from '../../core/operations.ts';
import type { Generation } from '../../core/target.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { freeRequests } from '../../common/free-requests.ts';

/** Checks of the billing account in V2 and V3. */
export const accountChecks: readonly Check[] = [
  check('ACCOUNT-01', { reads: true }, async (t) => {
    for (const exchange of await accounts(t)) {
      for (const member of balances)
        has(t, exchange, { member, what: 'a number', fits: (value) => typeof value === 'number' });
      has(t, exchange, { member: 'rateLimit', what: 'a whole number', fits: (value) => Number.isInteger(value) });
      has(t, exchange, {
        member: 'projectId',
        what: 'a uuid',
        fits: (value) => typeof value === 'string' && uuid.test(value),
      });
      has(t, exchange, { member: 'planInfo', what: 'a plan or null', fits: isPlan });
    }
  }),
  check('ACCOUNT-02', { reads: true }, async (t) => {
    const shown = await accounts(t);
    if (shown.length < 2) t.notTestable('one generation alone shows an account');
    const failed = shown.find((exchange) => !succeeded(exchange));
    if (failed !== undefined) t.notTestable(`${failed.generation} ${failed.operation} ${describeAnswer(failed)}`);
    const [first, ...others] = shown;
    for (const other of others) carries(t, other, ['projectId', memberAt(first?.json, 'projectId')]);
  }),
];

const balances = ['totalCreditsBalanceUsd', 'monthlyCreditsBalanceUsd', 'additionalCreditsBalanceUsd'];
const planMembers = [
  'planName',
  'subscriptionStatus',
  'subscriptionId',
  'subscriptionCurrentPeriodEnd',
  'subscriptionCanceledAt',
];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function accounts(t: CheckContext): Promise<Exchange[]> {
  const keys = (['v2.getBillingAccount', 'v3.getBillingAccount'] as const).filter((key) => t.operations.offers(key));
  const [first = 'v2.getBillingAccount'] = keys;
  t.operations.need(first);
  return Promise.all(keys.map((key) => t.operations.call(key)));
}

/**
 * Returns true for an object with all members of a plan, and for null. An account that pays per use may have no plan.
 */
function isPlan(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && planMembers.every((member) => member in value));
}

interface Expected {
  member: string;
  what: string;
  fits: (value: JsonValue | undefined) => boolean;
}

function has(t: CheckContext, exchange: Exchange, { member, what, fits }: Expected): void {
  const value = memberAt(exchange.json, member);
  const message = `the account of ${exchange.generation} has ${member} ${show(value)}; expected ${what}`;
  t.expect(succeeded(exchange) && fits(value), { cell: exchange.generation, exchange, message });
}

/**
 * Checks of every response of the run: it conforms to the API documents, a success has a JSON body, and no limit of
 * size or time is exceeded.
 */
export const answerChecks: readonly Check[] = [
  check('V2-ANSWERS', { phase: 'last', early: (t) => judgeAnswers(t, 'v2') }, (t) => documented(t, 'v2')),
  check('V3-ANSWERS', { phase: 'last', early: (t) => judgeAnswers(t, 'v3') }, (t) => documented(t, 'v3')),
  check('V4-ANSWERS', { phase: 'last', early: (t) => judgeAnswers(t, 'v4') }, (t) => documented(t, 'v4')),
  law('ANSWER-01', (t) => {
    for (const { operation, exchange } of called(t)) {
      if (!succeeded(exchange) || exchange.status === 204) continue;
      const found = exchange.body === '' ? 'nothing' : 'what is not JSON';
      const message = (): string => `${operation.key} answered ${exchange.status} with ${found}; expected a JSON body`;
      t.expect(exchange.json !== undefined, { cell: operation.key, exchange, message });
    }
  }),
  law('ANSWER-04', (t) => {
    for (const exchange of t.recorder.all()) {
      // A missing answer may be a network fault, so only an exceeded limit counts.
      if (exchange.status === 0 && exchange.exceeds === undefined) continue;
      const message = (): string =>
        `${exchange.operation} ${describeAnswer(exchange)}; expected an answer within this limit`;
      t.expect(exchange.exceeds === undefined, { exchange, message });
    }
  }),
];

async function documented(t: CheckContext, generation: Generation): Promise<void> {
  // A run of this requirement alone has received no answer yet, so this sends a free request.
  await t.send(freeRequests[generation]);
  judgeAnswers(t, generation);
}

function judgeAnswers(t: CheckContext, generation: Generation): void {
  const offered = allOperations.filter(
    (row) => row.generation === generation && offeredEndpoint(t.target, row.key) !== null,
  );
  t.cellTotal(offered.length, 'the other operations were not called');
  for (const { operation, exchange } of called(t)) {
    if (operation.generation !== generation || isGateway(operation, exchange)) continue;
    const [problem] = t.answers.answerProblems(operation, exchange);
    const message = (): string => `${operation.key} answered ${exchange.status}: ${problem ?? ''}`;
    t.expect(problem === undefined, { cell: operation.key, exchange, message });
  }
}

/**
 * Returns true for 502 and 504 if the operation does not document this status: a gateway in front of the service
 * answered.
 */
function isGateway({ statuses }: Operation, { status }: Exchange): boolean {
  return [502, 504].includes(status) && !statuses.includes(status);
}

interface Called {
  operation: Operation;
  exchange: Exchange;
}

/**
 * Returns every exchange of the run that calls an operation of the OpenAPI documents, except exchanges without an
 * answer and exchanges with status 429.
 */
function called(t: CheckContext): readonly Called[] {
  t.operations.need();
  return answeredCalls(t);
}

const answeredCalls = deriveOnce((t): readonly Called[] =>
  t.recorder.all().flatMap((exchange) => {
    const operation = exchange.status === 0 || exchange.status === 429 ? undefined : findOperation(t.target, exchange);
    return operation === undefined ? [] : [{ operation, exchange }];
  }),
);

/** Checks of rate-limit headers and rate-limit refusals; not testable if the target sends none. */
export const requestRateChecks: readonly Check[] = [
  check('ANSWER-02', { phase: 'last' }, async (t) => {
    const said = (await collectAnswers(t)).filter(({ headers }) =>
      rateHeaders.some((name) => headers[name] !== undefined),
    );
    if (said.length === 0) t.notTestable('no answer of this target carries rate headers');
    for (const exchange of said) {
      const found = rateHeaders.map((name) => `${name}: ${exchange.headers[name] ?? '-'}`).join(', ');
      const message = `${exchange.operation} answered with ${found}; expected whole numbers, no more left than the limit, and the reset in seconds from now`;
      t.expect(isConsistent(exchange.headers), { cell: 'headers', exchange, message });
    }
  }),
  check('ANSWER-03', { phase: 'last' }, async (t) => {
    const limited = (await collectAnswers(t)).filter(isRateLimited);
    if (limited.length === 0) t.notTestable('this run met no request rate');
    for (const exchange of limited) {
      const waits = exchange.headers['retry-after'];
      const message = `${exchange.operation} answered 429 with Retry-After ${waits ?? '-'} and ${show(exchange.json)}; expected the seconds to wait, and limit_rps and retry_after_seconds as numbers`;
      t.expect(saysWhen(exchange), { cell: 'refusal', exchange, message });
    }
  }),
];

const limit = 'x-ratelimit-limit';
const remaining = 'x-ratelimit-remaining';
const reset = 'x-ratelimit-reset';
const rateHeaders = [limit, remaining, reset] as const;

/** Upper bound of `x-ratelimit-reset`, in seconds. A larger value is a timestamp instead of a delay. */
const longestReset = 100_000_000;

async function collectAnswers(t: CheckContext): Promise<Exchange[]> {
  t.operations.need();
  // A run of this requirement alone has received no answer yet, so this sends free requests.
  for (const generation of t.generations) await t.send(freeRequests[generation]);
  return t.recorder.all().filter(({ generation, status }) => generation !== 'other' && status !== 0);
}

/**
 * Returns true if every rate-limit header is a number. The limit must be at least 1, the remainder not above the limit,
 * and the reset a delay. A deployment may send any subset of these headers.
 */
function isConsistent(headers: Readonly<Record<string, string>>): boolean {
  const numbers = rateHeaders.flatMap((name) => headers[name] ?? []);
  if (!numbers.every((text) => /^\d+(\.\d+)?$/.test(text))) return false;
  const [most, left, rest] = rateHeaders.map((name) => Number(headers[name] ?? Number.NaN));
  return !(Number(left) > Number(most)) && !(Number(most) < 1) && !(Number(rest) > longestReset);
}

function isRateLimited({ status, json }: Exchange): boolean {
  return status === 429 && memberAt(json, 'error') === 'rate_limited';
}

/**
 * Returns true if a rate-limit refusal has `Retry-After`, and its body has no `limit_rps`, or has `limit_rps` and
 * `retry_after_seconds` as numbers of at least 0. A refusal by a proxy has no numbers in its body (companion 3.1).
 */
function saysWhen({ headers, json }: Exchange): boolean {
  const numbers = ['limit_rps', 'retry_after_seconds'].map((name) => memberAt(json, name));
  const isWhole = numbers[0] === undefined || numbers.every((value) => typeof value === 'number' && value >= 0);
  return headers['retry-after'] !== undefined && isWhole;
}
