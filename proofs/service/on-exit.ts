const cleanups = new Set<() => void>();

/**
 * Does something when this program ends before it came to do it in order, also by Ctrl-C: it has to be done at once. The result takes
 * it back.
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
/** What shells say of a program that was interrupted. */
const interrupted = 130;

function leave(): void {
  process.exit(interrupted);
}

function cleanAll(): void {
  // What was opened last ends first: a process before the folder that it writes to.
  for (const cleanup of [...cleanups].toReversed()) cleanup();
}
