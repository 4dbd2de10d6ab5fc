import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A model behind HTTP on loopback that says nothing of interest. */
export interface ModelStub {
  readonly address: string;
  /** Requests that came, by whoever asked (the body's `system`). */
  readonly asked: ReadonlyMap<string, number>;
  /** Requests that wait now. */
  waiting(): number;
  /** From now on answers wait until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** Tokens of the answer number `n` (from 0) to one asker: small whole numbers that differ from answer to answer. */
export function usageOf(n: number): { readonly inputTokens: number; readonly outputTokens: number } {
  return { inputTokens: 1000 + 7 * n, outputTokens: 11 + n };
}

/** How long answers take, in milliseconds. */
export interface Delays {
  readonly least: number;
  readonly most: number;
}

/** The golden ratio's part below 1: its multiples modulo 1 spread evenly, however many there are. */
const goldenPart = 0.618_034;

/** Starts the stub; its answers take times that are spread evenly between the bounds, the same in every run. */
export async function startModelStub({ least, most }: Delays): Promise<ModelStub> {
  const asked = new Map<string, number>();
  let answers = 0;
  let waiting = 0;
  let held = Promise.withResolvers<void>();
  held.resolve();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => void answer(body).then((text) => response.end(text)));
  });
  const answer = async (body: string): Promise<string> => {
    const { system }: { system: string } = JSON.parse(body);
    const n = asked.get(system) ?? 0;
    asked.set(system, n + 1);
    waiting += 1;
    answers += 1;
    await Promise.all([held.promise, setTimeout(least + (most - least) * ((answers * goldenPart) % 1))]);
    waiting -= 1;
    return JSON.stringify(usageOf(n));
  };
  // A busy client must not find the connection closed that it has just written to.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on TCP that listens has such an address
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    waiting: () => waiting,
    hold: () => void (held = Promise.withResolvers()),
    release: () => held.resolve(),
    async close() {
      held.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
