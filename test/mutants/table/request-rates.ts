import type { Given, Mutant, Seen, Tamper } from '../mutant.ts';

const reference = { server: 'reference', only: ['ANSWER-02', 'ANSWER-03'] } as const;

/** Rate headers in every answer of a server with a rate of 25 requests a second. */
const rate = { 'x-ratelimit-limit': '125', 'x-ratelimit-remaining': '124', 'x-ratelimit-reset': '5' };
const refusal = { error: 'rate_limited', limit_rps: 25, retry_after_seconds: 5 };
/** A Retry-After of 0 seconds, so that tests do not wait. */
const atOnce = { 'retry-after': '0' };

function says(headers: Readonly<Record<string, string>>): Tamper {
  return { answer: (_seen, given) => ({ headers: { ...given.headers, ...rate, ...headers } }) };
}

/** Answers the first request of a run with 429, changed by `change`. Adds rate headers to every answer. */
function refusesFirst(
  change: (given: Given) => Partial<Given> = (given) => ({ headers: { ...given.headers, ...atOnce } }),
): () => Tamper {
  return () => {
    let isFirst = true;
    return {
      answer(seen: Seen, given) {
        if (!seen.url.startsWith('/api/')) return undefined;
        const headers = { ...given.headers, ...rate };
        const limited = { status: 429, body: refusal, ...change({ ...given, headers }) };
        const answer = isFirst ? limited : { headers };
        isFirst = false;
        return answer;
      },
    };
  };
}

/** Servers with wrong rate-limit headers or refusals. */
export const requestRateMutants: readonly Mutant[] = [
  {
    ...reference,
    id: 'rate-more-left',
    breaks: 'The number of remaining requests exceeds the limit.',
    target: 'ANSWER-02',
    tamper: says({ 'x-ratelimit-remaining': '126' }),
  },
  {
    ...reference,
    id: 'rate-reset-moment',
    breaks: 'The reset is a point in time instead of a number of seconds.',
    target: 'ANSWER-02',
    tamper: says({ 'x-ratelimit-reset': '1800000000' }),
  },
  {
    ...reference,
    id: 'rate-limit-words',
    breaks: 'The limit contains a unit.',
    target: 'ANSWER-02',
    tamper: says({ 'x-ratelimit-limit': '25/s' }),
  },
  {
    ...reference,
    id: 'rate-no-retry-after',
    breaks: 'The 429 has no Retry-After.',
    target: 'ANSWER-03',
    tamper: refusesFirst(() => ({})),
  },
  {
    ...reference,
    id: 'rate-numbers-text',
    breaks: 'The numbers in the body of the 429 are strings.',
    target: 'ANSWER-03',
    tamper: refusesFirst(({ headers }) => ({
      headers: { ...headers, ...atOnce },
      body: { ...refusal, limit_rps: '25' },
    })),
  },
];

/** Conforming variants of rate limiting. */
export const legalRequestRates: readonly Omit<Mutant, 'target'>[] = [
  {
    ...reference,
    id: 'rate-legal',
    breaks: 'The first request of the suite is answered with 429, and every response has rate headers.',
    tamper: refusesFirst(),
  },
  {
    ...reference,
    id: 'rate-legal-edge',
    breaks: 'A proxy in front of the server answers the first request with 429 without numbers.',
    tamper: refusesFirst(({ headers }) => ({ headers: { ...headers, ...atOnce }, body: { error: 'rate_limited' } })),
  },
];
