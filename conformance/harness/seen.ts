import type { Send } from './client.ts';
import type { Recorder } from './recorder.ts';

/** The clock of one scenario or check: it stands at the last answer that was seen. */
export interface Seen {
  nowMs: () => number;
  /** Notes when something was seen, in ms since the run began. */
  note(atMs: number): void;
  /** Sends, and notes each answer. */
  through(send: Send): Send;
}

/** A clock that stands at the last answer of the run until something of its own was seen. */
export function createSeen(recorder: Pick<Recorder, 'all'>): Seen {
  let lastMs: number | undefined;
  const note = (atMs: number): void => {
    lastMs = Math.max(lastMs ?? 0, atMs);
  };
  return {
    nowMs: () => {
      const last = recorder.all().at(-1);
      return lastMs ?? (last === undefined ? 0 : last.atMs + last.durationMs);
    },
    note,
    through: (send) => async (spec) => {
      const exchange = await send(spec);
      note(exchange.atMs + exchange.durationMs);
      return exchange;
    },
  };
}
