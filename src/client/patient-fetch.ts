import { clientFacts } from '#generated/client-facts.ts';
import type { ClientOptions, Pause } from './client-options.ts';

/** How requests are sent. */
export interface Patience extends Required<Pick<ClientOptions, 'retries' | 'timeoutMs' | 'fetch'>> {
  readonly pause: Pause;
}

/** A page names its browser, and a header that it sets itself would need a permission of the service. */
const isPage = 'window' in globalThis || 'WorkerGlobalScope' in globalThis;

const tooMany = 429;
/** The first wait where the answer asks for none; each is twice the one before. */
const firstWaitMs = 1_000;
const longestWaitMs = 10_000;

/**
 * Sends a request, and sends it again while it is answered with 429, the one status that promises that nothing was done: a
 * creation is never sent twice after any other fault. Rejects when no answer comes in time.
 */
export function patientFetch({ retries, timeoutMs, fetch, pause }: Patience): (request: Request) => Promise<Response> {
  const send = (request: Request): Promise<Response> => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    const sent = new Request(request.clone(), { signal });
    if (!isPage && !sent.headers.has('user-agent')) sent.headers.set('user-agent', clientFacts.userAgent);
    return fetch(sent);
  };
  return async (request) => {
    for (let retry = 0; ; retry += 1) {
      const response = await send(request);
      if (response.status !== tooMany || retry >= retries) return response;
      await response.body?.cancel();
      await pause(waitMs(response, retry), request.signal);
    }
  };
}

/** As long as the answer asks for, in seconds, within bounds. */
function waitMs(response: Response, retry: number): number {
  const asked = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const wait = Number.isFinite(asked) && asked >= 0 ? asked : firstWaitMs * 2 ** retry;
  return Math.min(wait, longestWaitMs);
}
