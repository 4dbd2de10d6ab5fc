import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends child processes of a test and waits for their end, because a living process would write into the folder that is
 * removed next.
 *
 * A service with real browsers needs `SIGTERM`. Browsers of a killed service notice its end later and write until then.
 *
 * @param children - may include ended processes
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
