import type { EventEmitter } from 'node:events';
import { isatty } from 'node:tty';

/** Exit codes of the process; a public interface, documented in docs/reference/exit-codes.md. */
export const exitCodes = {
  /** No violation found. */
  ok: 0,
  /**
   * At least one violation or orphaned resource. Also a problem of `svc spec lint`, a breaking change of `svc spec
   * diff`, a regression of `svc diff`, and an unused operation of `svc coverage --strict`.
   */
  violation: 1,
  /** Wrong usage or configuration, a file that cannot be written, or a failed check of `svc doctor`. */
  usage: 2,
  /** The target cannot be reached, is not a service of this API, or refuses the key. */
  unreachable: 3,
  /**
   * The run was interrupted, a limit of time or money ended it early, or the target refused all requests of an
   * operation.
   */
  interrupted: 4,
  /** A fault of the suite or the service itself, or a process of `svc serve` that the other processes declared dead. */
  internal: 5,
} as const;

/**
 * Signals that end a command: from Ctrl-C, a supervisor, or a closed terminal. A closed terminal may cause several
 * signals.
 */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One of {@link endSignals}. */
export type EndSignal = (typeof endSignals)[number];

/** Resolves at the first signal of {@link endSignals}; a second SIGINT or SIGTERM ends the process as usual. */
export function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      process.off('SIGINT', done);
      process.off('SIGTERM', done);
      resolve();
    };
    for (const signal of endSignals) process.on(signal, done);
  });
}

/**
 * Ignores errors of an output stream that report a closed output: a reader such as `head` may exit first, and a
 * terminal may be closed. The command then continues and cleans up. Throws other errors of the stream, such as a full
 * disk.
 */
export function ignoreClosedOutput(stream: EventEmitter, descriptor: number): void {
  // Determined now, because a closed terminal is no longer a TTY.
  const closedCodes = isatty(descriptor) ? ['EPIPE', 'EIO'] : ['EPIPE'];
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!closedCodes.includes(error.code ?? '')) throw error;
  });
}
