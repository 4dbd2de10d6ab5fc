import { NotRun } from '../harness/outcome.ts';
import type { Happening } from '../harness/recorder.ts';
import type { Transport, TransportRequest } from '../harness/transport.ts';
import { requestNames } from './names-of.ts';
import type { Turns } from './turns.ts';

/** Answers every request with what was recorded of it. */
export function playbackTransport(turns: Turns): Transport {
  return async (request) => {
    const happening = await find(turns, request);
    if (happening.kind !== 'exchange') throw new Error(`the turn of ${request.operation} gave an ${happening.kind}`);
    const { atMs, durationMs, status, headers, body, json, fault, exceeds } = happening.exchange;
    return {
      status,
      headers,
      body,
      json,
      times: { atMs, durationMs },
      ...(fault === undefined ? {} : { fault }),
      ...(exceeds === undefined ? {} : { exceeds }),
    };
  };
}

async function find(turns: Turns, { shown, signal, outlivesRun, ...request }: TransportRequest): Promise<Happening> {
  try {
    return await turns.next(requestNames({ ...request, ...shown }), outlivesRun ? undefined : signal);
  } catch (error) {
    // It was not sent before the run had ended.
    if (error instanceof NotRun) signal.throwIfAborted();
    throw error;
  }
}
