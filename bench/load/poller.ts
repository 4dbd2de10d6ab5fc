import { Client } from 'undici';

/*
 * Clients that poll, in a process of their own: told whom, what and how often, it tells how long each answer took. A client has one
 * connection and one question under way; a poll that is due while the one before waits comes as soon as that is answered.
 */

/** What the process is told. */
export interface PollerOrder {
  readonly address: string;
  /** Each client asks for one of these, in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly clients: number;
  readonly everyMs: number;
}

/** What it tells when it is asked to end. */
export interface PollerReport {
  readonly times: readonly number[];
  /** Sentences; at most some of them. */
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
  // A long report is on its way for some time: whoever leaves before it has arrived takes the rest along.
  process.send?.(report, undefined, {}, () => process.disconnect());
});

// Whoever wanted to know is gone.
process.once('disconnect', () => process.exit());

/** Clients begin one after the other within one interval, as people do. */
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
