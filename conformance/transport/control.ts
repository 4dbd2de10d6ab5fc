import type { ControlClock } from '../core/controls.ts';
import type { Send } from '../core/request.ts';
import { describeAnswer, succeeded } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';
import { withoutEnd } from '../core/trim-end.ts';

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
