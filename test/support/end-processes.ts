import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends what a test has started, and waits until it is gone: what still runs would write into the folder that is removed next.
 *
 * A service with real browsers is ended with `SIGTERM`. The browsers of one that is killed notice it by themselves, and write until then.
 *
 * @param children - Those that have ended already are fine.
 */
export async function endProcesses(
  children: readonly ChildProcess[],
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<void> {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await Promise.all(
    running.map(async (child) => {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }),
  );
}
