/** What asks a command to end: Ctrl-C, whoever supervises it, and a terminal that is closed, which may say so more than once. */
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
