import { readFileSync } from 'node:fs';
import { Client } from 'undici';

/*
 * A client that polls, in a process of its own: told whom and how often, it tells how long each answer took. The next poll comes
 * when it is due and the one before has been answered.
 */

/** What the process is told. */
export interface PollOrder {
  readonly address: string;
  /** The process that answers. */
  readonly pid: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly everyMs: number;
}

/** How long one answer took. */
export interface Poll {
  readonly ms: number;
  /** How much of it the client or the service was ready to run and had no processor. */
  readonly waitedMs: number;
}

/** What it tells when it is asked to end. */
export interface PollReport {
  readonly polls: readonly Poll[];
}

const polls: Poll[] = [];
let isOver = false;
/** Grows when the service is prepared for a measurement and when it is ready: a poll during that says nothing of an input. */
let phase = 0;

process.on('message', (order: PollOrder | 'preparing' | 'ready' | 'end') => {
  if (order === 'preparing' || order === 'ready') {
    phase += 1;
    return;
  }
  if (order !== 'end') {
    void poll(new Client(order.address), order);
    return;
  }
  isOver = true;
  const report: PollReport = { polls };
  // A long report is on its way for some time: who leaves before it has arrived takes the rest along.
  process.send?.(report, undefined, {}, () => process.disconnect());
});

// The program that asked has ended.
process.once('disconnect', () => process.exit());

async function poll(client: Client, order: PollOrder): Promise<void> {
  const [begun, waited, begunIn] = [performance.now(), waitedMs('self') + waitedMs(order.pid), phase];
  try {
    const { body } = await client.request({ method: 'GET', path: order.path, headers: { ...order.headers } });
    await body.text();
    const ms = performance.now() - begun;
    const isOfInput = phase === begunIn && phase % 2 === 0;
    if (isOfInput) polls.push({ ms, waitedMs: Math.min(ms, waitedMs('self') + waitedMs(order.pid) - waited) });
  } catch (error) {
    // A service that was killed because it did not react is reported with the input.
    if (!(error instanceof Error)) throw error;
  }
  if (isOver) return void client.destroy();
  setTimeout(() => void poll(client, order), Math.max(0, order.everyMs - (performance.now() - begun)));
}

/** Milliseconds that the main thread of a process has waited for a processor; 0 once it has ended. */
function waitedMs(pid: number | 'self'): number {
  try {
    const [, waited = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0;
    throw error;
  }
}
