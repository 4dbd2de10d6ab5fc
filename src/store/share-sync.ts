/**
 * Does the same work for many at once: whoever asks is told when the work was done that began after he had asked, and those who ask while it
 * is under way share the next. When it fails, it fails for all who share it, and for nobody else.
 */
export function shareSync(work: () => Promise<void>): () => Promise<void> {
  let latest: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  const begin = async (): Promise<void> => {
    // How the one before it ended is told to those who asked for it.
    await Promise.allSettled([latest]);
    next = null;
    const done = work();
    latest = done;
    await done;
  };
  return () => (next ??= begin());
}
