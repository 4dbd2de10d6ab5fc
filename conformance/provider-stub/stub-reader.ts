import type { StubReader } from '../core/controls.ts';
import { callPath, readCalls } from './index.ts';
import type { Send } from '../core/request.ts';
import { describeAnswer, succeeded } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';

/** Creates a reader of the stub at a URL; its requests are recorded like all others. */
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
