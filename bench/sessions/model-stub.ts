import type { ModelAnswer, ModelProviders, ModelRequest } from '#agent/model/model-call.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * A stub of a model provider: an HTTP server on loopback. The content of a response depends only on the number of
 * earlier requests of the same caller.
 */
export interface ModelStub {
  readonly address: string;
  /** Number of requests by caller (the body's `system`). */
  readonly asked: ReadonlyMap<string, number>;
  /** Returns the number of waiting requests. */
  waiting(): number;
  /** Delays the responses to all later requests until `release` is called. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** Returns the token usage in response `n` (from 0) to one caller. Different `n` have different numbers. */
export function getUsage(n: number): { readonly inputTokens: number; readonly outputTokens: number } {
  return { inputTokens: 1000 + 7 * n, outputTokens: 11 + n };
}

/**
 * Fractional part of the golden ratio. Any number of its multiples modulo 1 are about evenly spread between 0 and 1.
 */
const goldenPart = 0.618_034;

/**
 * Starts the stub. It delays each response by between `least` and `most` milliseconds. The delays are evenly spread and
 * equal in every run.
 */
export async function startModelStub({ least, most }: Readonly<Record<'least' | 'most', number>>): Promise<ModelStub> {
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
    return JSON.stringify(getUsage(n));
  };
  // No timeout closes a connection, because a busy client may just have written to it.
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

/**
 * Creates model providers that all call one {@link ModelStub}. `onCall` is called after each model call with the caller
 * and the duration in milliseconds.
 */
export function createHttpModels(
  address: string,
  onCall: (system: string, ms: number) => void = () => undefined,
): ModelProviders {
  return {
    routes: new Map(),
    clientFor: async () => ({
      seesImages: true,
      hasNativeOutput: false,
      async call(request, signal) {
        const begun = performance.now();
        try {
          return await ask(address, request, signal);
        } finally {
          onCall(request.system, performance.now() - begun);
        }
      },
    }),
  };
}

async function ask(address: string, { system }: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify({ system }), signal });
  const usage: { inputTokens: number; outputTokens: number } = JSON.parse(await response.text());
  return { ok: true, reply: { text: 'go on', toolCalls: [], end: 'done', usage, replay: null } };
}
