import type { ControlClock, ControlFaults } from '../core/controls.ts';
import type { Send } from '../core/request.ts';
import { describeAnswer, succeeded, type Exchange } from '../core/exchange.ts';
import { NotTestable } from '../core/outcome.ts';
import { withoutEnd } from '../core/trim-end.ts';
import type { JsonObject } from '../core/json.ts';

/** Creates the clock of a target with a control URL. */
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

const names = { fail: 'failStarts', restore: 'restoreStarts', crash: 'crashSandbox' } as const;

/** Creates the fault injection of a target with a control URL. */
export function createControlFaults(control: string, send: Send): ControlFaults {
  const path = `${withoutEnd(control, /\//)}/faults`;
  const set = async (operation: string, body: JsonObject): Promise<void> => {
    // The request is awaited even when the run ends: a fault that was set has to be known, so that it is removed again.
    const spec = { generation: 'other', operation, method: 'POST', path, body, key: 'none', creates: true } as const;
    const exchange = await send(spec);
    if (!succeeded(exchange)) throw new NotTestable(`the control address ${describeAnswer(exchange)} to POST /faults`);
  };
  const restoreStarts = (): Promise<void> => set(names.restore, { sandboxStart: null });
  return {
    restoreStarts,
    withoutStarts: async (use) => {
      await set(names.fail, { sandboxStart: 'fail' });
      try {
        return await use();
      } finally {
        await restoreStarts();
      }
    },
    crash: (sessionId) => set(names.crash, { crashSession: sessionId }),
  };
}

/** Returns true if the target was asked to fail sandbox starts and has not yet confirmed the end of this fault. */
export function areStartsFailing(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.findLast(({ operation }) => operation === names.fail || operation === names.restore);
  return last !== undefined && (last.operation === names.fail || !succeeded(last));
}
