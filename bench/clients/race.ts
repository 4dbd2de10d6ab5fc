import type { Clients, Order } from './clients.ts';

/** One of the two servers of a comparison, with the requests that are sent to it. */
export interface Runner {
  readonly order: Order;
  /**
   * Number of requests that are sent before the first round, so that V8 compiles the code of a new server.
   * @defaultValue 0
   */
  readonly warmUp?: number;
  /**
   * Called after each round with its response bodies, to remove the records that the round has created; not measured.
   * @defaultValue nothing
   */
  readonly tidy?: (bodies: readonly string[]) => Promise<void>;
}

/** Requests per second of two servers, round by round. */
export interface Race {
  readonly ours: number[];
  readonly anchor: number[];
}

/**
 * Measures two servers in alternating rounds with the same clients. Before, sends the `warmUp` requests and runs one
 * unmeasured round on each server.
 */
export async function race(
  clients: Clients,
  { ours, anchor, rounds }: { readonly ours: Runner; readonly anchor: Runner; readonly rounds: number },
): Promise<Race> {
  const result: Race = { ours: [], anchor: [] };
  for (const runner of [ours, anchor]) await warmUp(clients, runner);
  for (let round = 0; round <= rounds; round += 1) {
    const [one, other] = [await runOnce(clients, ours), await runOnce(clients, anchor)];
    if (round === 0) continue;
    result.ours.push(one);
    result.anchor.push(other);
  }
  return result;
}

async function runOnce(clients: Clients, { order, tidy }: Runner): Promise<number> {
  const { answers, ms, bodies } = await clients.send({ ...order, keepBodies: tidy !== undefined });
  await tidy?.(bodies);
  return (answers * 1000) / ms;
}

async function warmUp(clients: Clients, { order, warmUp: count = 0 }: Runner): Promise<void> {
  const [request] = order.requests;
  if (count === 0 || request === undefined) return;
  const { ms: _ms, ...rest } = order;
  await clients.send({ ...rest, requests: Array.from({ length: count }, () => request) });
}
