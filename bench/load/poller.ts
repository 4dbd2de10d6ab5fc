import { Client } from 'undici';

/*
 * Child process with polling clients. It receives URLs and an interval, and reports how long each response took. A
 * client has one connection and one pending request. If a poll is due while the previous poll is pending, the client
 * sends it after the response to the previous poll.
 */

/** Message to the polling process that starts the polling. */
export interface PollerOrder {
  readonly address: string;
  /** Paths, which clients request in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly clients: number;
  readonly everyMs: number;
}

/** Final report of the polling process. */
export interface PollerReport {
  readonly times: readonly number[];
  /** The first errors of the polls, at most 20, as sentences. */
  readonly errors: readonly string[];
}

const shownErrors = 20;
const times: number[] = [];
const errors: string[] = [];
let isOver = false;

process.on('message', (order: PollerOrder | 'end') => {
  if (order !== 'end') {
    for (let number = 0; number < order.clients; number += 1) begin(order, number);
    return;
  }
  isOver = true;
  const report: PollerReport = { times, errors: errors.slice(0, shownErrors) };
  // A long report takes time to send; ending before would lose the rest.
  process.send?.(report, undefined, {}, () => process.disconnect());
});

// The parent process has ended.
process.once('disconnect', () => process.exit());

/** Starts the client with a number, after a delay that spreads all clients evenly over one interval. */
function begin(order: PollerOrder, number: number): void {
  const client = new Client(order.address);
  setTimeout(() => void poll(client, order, number), (number / order.clients) * order.everyMs);
}

async function poll(client: Client, order: PollerOrder, number: number): Promise<void> {
  const begun = performance.now();
  try {
    const path = order.paths[(number + times.length) % order.paths.length] ?? '/';
    const { statusCode, body } = await client.request({ method: 'GET', path, headers: { ...order.headers } });
    await body.text();
    if (statusCode !== 200) errors.push(`${path} was answered ${statusCode}`);
  } catch (error) {
    errors.push(String(error));
  }
  times.push(performance.now() - begun);
  if (isOver) return void client.close();
  setTimeout(() => void poll(client, order, number), Math.max(0, order.everyMs - (performance.now() - begun)));
}
