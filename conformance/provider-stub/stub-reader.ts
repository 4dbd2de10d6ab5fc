import type { StubReader } from '../core/controls.ts';
import { callPath, readCalls } from './index.ts';
import type { Send } from '../core/request.ts';
import { describeAnswer, succeeded } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';

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
