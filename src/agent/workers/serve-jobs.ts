import { createContext, Script } from 'node:vm';
import type { JobMessage, ProcessUse, ReplyMessage } from './worker-process.ts';

/**
 * Serves jobs in a worker process, one at a time, until the parent process ends. An exception of `work` fails its job
 * and not the process.
 */
export function serveJobs(work: (input: unknown) => unknown): void {
  const tell = (message: ReplyMessage): void => void process.send?.(message);
  process.on('message', ({ input, realMs }: JobMessage) => {
    void reply(() => timed(() => work(input), realMs)).then(tell);
  });
  process.on('disconnect', () => process.exit());
  // A signal to the process group is for the parent, which ends its workers itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  tell({ kind: 'ready', use: use() });
}

async function reply(work: () => unknown): Promise<ReplyMessage> {
  try {
    return { kind: 'done', output: await work(), use: use() };
  } catch (error) {
    return { kind: 'failed', reason: String(error instanceof Error ? error.stack : error), use: use() };
  }
}

const script = new Script('run()');

/**
 * Runs synchronous work. Throws at the time limit. Without this limit, an endless job would keep the process alive
 * after its parent was killed.
 */
function timed(work: () => unknown, timeout: number): unknown {
  const results: unknown[] = [];
  script.runInContext(createContext({ run: () => void results.push(work()) }), { timeout });
  return results[0];
}

function use(): ProcessUse {
  const { user, system } = process.cpuUsage();
  return { usedMs: (user + system) / 1_000, residentBytes: process.memoryUsage.rss() };
}
