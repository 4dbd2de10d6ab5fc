import type { Send } from './client.ts';
import { describeAnswer, succeeded } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';
import { withoutEnd } from '../core/trim-end.ts';

/** Moves the clock of a target that has a control address. */
export interface ControlClock {
  /** Lets `ms` milliseconds pass for the target. Throws NotTestable when the target does not take it. */
  advance(ms: number): Promise<void>;
}

/** The clock behind a control address. */
export function createControlClock(control: string, send: Send): ControlClock {
  return {
    advance: async (ms) => {
      const exchange = await send({
        generation: 'other',
        operation: 'advanceClock',
        method: 'POST',
        path: `${withoutEnd(control, /\//)}/clock`,
        body: { advanceMs: ms },
        key: 'none',
      });
      if (!succeeded(exchange)) throw new NotTestable(`the control address ${describeAnswer(exchange)} to POST /clock`);
    },
  };
}
