import { readFileSync } from 'node:fs';
import { Client } from 'undici';

/*
 * Child process with a polling client. It receives a URL and an interval, and reports how long each response took. The
 * next poll is sent when it is due and the previous poll was answered.
 */

/** Message to the polling process that starts the polling. */
export interface PollOrder {
  readonly address: string;
  /** Id of the polled process. */
  readonly pid: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly everyMs: number;
}

/** Response time of one poll. */
export interface Poll {
  readonly ms: number;
  /** Part of `ms` in which the client or the service waited for a processor. */
  readonly waitedMs: number;
}

/** Final report of the polling process. */
export interface PollReport {
  readonly polls: readonly Poll[];
}

const polls: Poll[] = [];
let isOver = false;
/**
 * Number of received messages `preparing` and `ready`. The number is odd while a measurement is prepared. Polls that
 * overlap such a time are not recorded.
 */
let phase = 0;

process.on('message', (order: PollOrder | 'preparing' | 'ready' | 'end') => {
  if (order === 'preparing' || order === 'ready') {
    phase += 1;
    return;
  }
  if (order !== 'end') {
    // Tells the parent process after the first poll that the polling has begun.
    void poll(new Client(order.address), order).then(() => process.send?.('polling'));
    return;
  }
  isOver = true;
  const report: PollReport = { polls };
  // A long report takes time to send; ending before would lose the rest.
  process.send?.(report, undefined, {}, () => process.disconnect());
});

// The parent process has ended.
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
    // A service that was killed because it did not respond is reported with the input.
    if (!(error instanceof Error)) throw error;
  }
  if (isOver) return void client.destroy();
  setTimeout(() => void poll(client, order), Math.max(0, order.everyMs - (performance.now() - begun)));
}

/**
 * Returns the milliseconds that the main thread of a process has waited for a processor; 0 if the process has ended.
 */
function waitedMs(pid: number | 'self'): number {
  try {
    const [, waited = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0;
    throw error;
  }
}
