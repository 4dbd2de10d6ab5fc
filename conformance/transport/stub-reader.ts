import { type ProviderCall, callPath, readCalls } from '../provider-stub/index.ts';
import type { Send } from './client.ts';
import { type Exchange, describeAnswer, succeeded } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';

/** What reached the provider stub for one task. */
export interface Reached {
  /** The answer of the stub that shows it. */
  exchange: Exchange;
  /** In the order of arrival. */
  calls: ProviderCall[];
}

/** Asks the provider stub of a run. */
export interface StubReader {
  /** The requests whose texts carry a mark. Throws NotTestable when the stub cannot be asked. */
  reached(mark: string): Promise<Reached>;
}

/** A reader of the stub at an address; the questions are recorded like every other request. */
export function createStubReader(address: string, send: Send): StubReader {
  return {
    reached: async (mark) => {
      const exchange = await send({
        generation: 'other',
        operation: readOperation,
        method: 'GET',
        path: `${address}${callPath}?mark=${mark}`,
        key: 'none',
      });
      if (!succeeded(exchange)) throw new NotTestable(`the provider stub ${describeAnswer(exchange)}`);
      return { exchange, calls: readCalls(exchange.json) };
    },
  };
}

/** Name of the question in a recording. */
export const readOperation = 'readProviderCalls';
