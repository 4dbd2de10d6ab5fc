/** Signals that end a command: Ctrl-C, a supervisor, and a closed terminal, which may send several. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One of {@link endSignals}. */
export type EndSignal = (typeof endSignals)[number];

/** Resolves at the first signal that asks for the end; a second SIGINT or SIGTERM ends the process as usual. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      process.off('SIGINT', done);
      process.off('SIGTERM', done);
      resolve();
    };
    for (const signal of endSignals) process.on(signal, done);
  });
}
