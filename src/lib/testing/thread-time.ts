/**
 * Processor time in milliseconds that this thread has used so far. What blocks an event loop uses it, and a busy machine, on which wall
 * time passes without work, does not add to it.
 */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
