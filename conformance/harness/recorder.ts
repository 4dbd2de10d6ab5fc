import type { Exchange } from './exchange.ts';

/** Keeps every exchange of a run in the order in which the answers arrived. */
export interface Recorder {
  /** Milliseconds since the run began. */
  elapsedMs(): number;
  add(exchange: Omit<Exchange, 'index'>): Exchange;
  all(): readonly Exchange[];
}

/** An empty recorder whose clock starts now. */
export function createRecorder(): Recorder {
  const begin = performance.now();
  const exchanges: Exchange[] = [];
  return {
    elapsedMs: () => performance.now() - begin,
    add: (exchange) => {
      const kept = { ...exchange, index: exchanges.length };
      exchanges.push(kept);
      return kept;
    },
    all: () => exchanges,
  };
}
