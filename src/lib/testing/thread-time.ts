/**
 * Returns the processor time of this thread in milliseconds. Code that blocks the event loop increases it; other load
 * on the machine does not.
 */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
