import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { freeRequests } from '../../runner/preflight.ts';
import { show } from '../common/session-records.ts';

/** What answers say of request rates; only where a target says anything of them. */
export const requestRateChecks: readonly Check[] = [
  check('ANSWER-02', { phase: 'last' }, async (t) => {
    const said = (await answersOf(t)).filter(({ headers }) => rateHeaders.some((name) => headers[name] !== undefined));
    if (said.length === 0) t.notTestable('no answer of this target carries rate headers');
    for (const exchange of said) {
      const found = rateHeaders.map((name) => `${name}: ${exchange.headers[name] ?? '-'}`).join(', ');
      const message = `${exchange.operation} answered with ${found}; expected whole numbers, no more left than the limit, and the reset in seconds from now`;
      t.expect(isConsistent(exchange.headers), { cell: 'headers', exchange, message });
    }
  }),
  check('ANSWER-03', { phase: 'last' }, async (t) => {
    const limited = (await answersOf(t)).filter(isRateLimited);
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

/** More seconds than this are a moment and no time to wait. */
const longestReset = 100_000_000;

async function answersOf(t: CheckContext): Promise<Exchange[]> {
  t.operations.need();
  // A run of this row alone has seen no answer yet, so one is asked for.
  for (const generation of t.generations) await t.send(freeRequests[generation]);
  return t.recorder.all().filter(({ generation, status }) => generation !== 'other' && status !== 0);
}

/** Each header that is there; how many of them a deployment shows is its own affair. */
function isConsistent(headers: Readonly<Record<string, string>>): boolean {
  const numbers = rateHeaders.flatMap((name) => headers[name] ?? []);
  if (!numbers.every((text) => /^\d+(\.\d+)?$/.test(text))) return false;
  const [most, left, rest] = rateHeaders.map((name) => Number(headers[name] ?? Number.NaN));
  return !(Number(left) > Number(most)) && !(Number(most) < 1) && !(Number(rest) > longestReset);
}

function isRateLimited({ status, json }: Exchange): boolean {
  return status === 429 && memberAt(json, 'error') === 'rate_limited';
}

/** The refusal of an edge in front has no numbers in its body (companion 3.1); the one of the service has both. */
function saysWhen({ headers, json }: Exchange): boolean {
  const numbers = ['limit_rps', 'retry_after_seconds'].map((name) => memberAt(json, name));
  const isWhole = numbers[0] === undefined || numbers.every((value) => typeof value === 'number' && value >= 0);
  return headers['retry-after'] !== undefined && isWhole;
}
