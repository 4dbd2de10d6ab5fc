import { faultText } from './fault-text.ts';
import type { Transport } from './transport.ts';

/** What `fetch` takes as its way to send. */
export type FetchDispatcher = NonNullable<RequestInit['dispatcher']>;

/** HTTP by `fetch`, on a way of its own where one is given. */
export function byFetch(dispatcher?: FetchDispatcher): Transport {
  return async ({ method, url, headers, body, timeoutMs, signal, outlivesRun }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      ...(dispatcher === undefined ? {} : { dispatcher }),
      signal: outlivesRun ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body }),
    };
    try {
      const response = await fetch(url, init);
      return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { status: 0, headers: {}, body: '', fault: faultText(error, timeoutMs) };
    }
  };
}
