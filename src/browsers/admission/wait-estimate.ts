/** Guesses how long a line of starts takes from how long the latest ones took. */
export interface WaitEstimate {
  /** Notes that a start begins; the returned function notes its end. */
  start(): () => void;
  /** Milliseconds until a line of that length has been served, 1,000 to 60,000 included. */
  forLine(waiting: number): number;
}

/** Before anything was measured: a start on a machine with some load. */
const FIRST_GUESS_MS = 1_000;
/** How much the latest start counts against all before it. */
const WEIGHT = 0.25;
const [LEAST_MS, MOST_MS] = [1_000, 60_000];

/** An estimate for a host that starts `places` browsers at a time. */
export function createWaitEstimate(places: number, nowMs: () => number = () => performance.now()): WaitEstimate {
  let usualMs = FIRST_GUESS_MS;
  return {
    start() {
      const begun = nowMs();
      return () => {
        usualMs += WEIGHT * (nowMs() - begun - usualMs);
      };
    },
    forLine: (waiting) => Math.min(Math.max(((waiting + 1) / places) * usualMs, LEAST_MS), MOST_MS),
  };
}
