import { endSignals } from './end-signals.ts';

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
