import { takeRequestedRange, exceedingAnswer } from './answer-limits.ts';
import { BoundedBytes, suiteLimit } from '../core/bounds.ts';
import { faultAnswer } from './fault-text.ts';
import { userAgent } from './node-http.ts';
import type { Answer, Transport } from '../core/transport.ts';

/** Dispatcher that `fetch` accepts. */
export type FetchDispatcher = NonNullable<RequestInit['dispatcher']>;

/** Creates a transport over `fetch`, with an optional dispatcher. */
export function byFetch(dispatcher?: FetchDispatcher): Transport {
  return async ({ method, url, headers, body, timeoutMs, signal, outlivesRun }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = {
      method,
      headers: withUserAgent(headers),
      redirect: 'manual',
      ...(dispatcher === undefined ? {} : { dispatcher }),
      signal: outlivesRun ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body }),
    };
    try {
      return await readAnswer(await fetch(url, init), { headers, timeout, timeoutMs });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return faultAnswer(error, timeoutMs);
    }
  };
}

/** Adds the User-Agent of the suite, unless the headers already contain a User-Agent. */
function withUserAgent(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return isGiven ? { ...headers } : { 'user-agent': userAgent, ...headers };
}

/** Limits for reading an answer. */
interface Reading {
  /** Headers of the request. */
  headers: Readonly<Record<string, string>>;
  timeout: AbortSignal;
  timeoutMs: number;
}

async function readAnswer(response: Response, { headers: asked, timeout, timeoutMs }: Reading): Promise<Answer> {
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  const collected = new BoundedBytes(suiteLimit('answerBytes'));
  const known = { status, headers };
  try {
    for await (const part of response.body ?? []) {
      // Leaving the loop cancels the body, which ends its connection.
      if (collected.add(part)) continue;
      const bytes = collected.bytes(suiteLimit('answerExcerpt'));
      const beginning = takeRequestedRange({ headers: asked }, { ...known, bytes });
      return beginning ?? exceedingAnswer({ ...known, limit: 'answerBytes', bytes });
    }
  } catch (error) {
    if (!timeout.aborted) throw error;
    return exceedingAnswer({
      ...known,
      limit: 'answerTime',
      bound: timeoutMs,
      bytes: collected.bytes(suiteLimit('answerExcerpt')),
    });
  }
  return { ...known, body: new TextDecoder().decode(collected.bytes()) };
}
