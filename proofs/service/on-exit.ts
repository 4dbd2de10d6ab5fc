const cleanups = new Set<() => void>();

/**
 * Registers a synchronous clean-up for an early end of this program, also by Ctrl-C. The returned function removes it.
 */
export function onExit(cleanup: () => void): () => void {
  if (cleanups.size === 0) {
    process.on('exit', cleanAll);
    for (const signal of signals) process.on(signal, leave);
  }
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
    if (cleanups.size > 0) return;
    process.off('exit', cleanAll);
    for (const signal of signals) process.off(signal, leave);
  };
}

const signals = ['SIGINT', 'SIGTERM'] as const;
/** Exit code of an interrupted program. */
const interrupted = 130;

function leave(): void {
  process.exit(interrupted);
}

function cleanAll(): void {
  // The last registered clean-up runs first: a process before its folder.
  for (const cleanup of [...cleanups].toReversed()) cleanup();
}
