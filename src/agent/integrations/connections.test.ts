import { text } from 'node:stream/consumers';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { createIntegrations, type Integrations } from './connections.ts';
import {
  type Integration,
  type IntegrationBounds,
  IntegrationError,
  type IntegrationTransport,
} from './integration.ts';

const bounds: IntegrationBounds = {
  tools: 20,
  listBytes: 20_000,
  answerBytes: 1_000_000,
  connectMs: 3_000,
  callMs: 1_000,
  idleMs: 60_000,
  connections: 2,
};
const hostile = import.meta.resolve('./testing/hostile-server.ts').replace('file://', '');
const token = 'tok-3f9a71c04b';
const warned: unknown[] = [];
const opened: Integrations[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  warned.splice(0);
});

function stdio(...args: readonly string[]): IntegrationTransport {
  const env = new Map([['TOKEN', [token]]]);
  return { kind: 'stdio', command: process.execPath, args: [hostile, ...args], env, folder: null };
}

function integration(transport: IntegrationTransport, changes: Partial<Integration> = {}): Integration {
  const ownSecrets = [{ name: 'TOKEN', value: token }];
  return {
    name: 'odd',
    description: 'x',
    projects: 'all',
    tools: null,
    transport,
    secretNames: [],
    ownSecrets,
    ...changes,
  };
}

function open(rows: readonly Integration[], changes: Partial<IntegrationBounds> = {}): Integrations {
  const made = createIntegrations({
    integrations: rows,
    bounds: { ...bounds, ...changes },
    secrets: async () => [{ name: 'TOKEN', value: token }],
    log: { warn: (fields: unknown) => void warned.push(fields) },
  });
  opened.push(made);
  return made;
}

const use = (projectId = 'p', signal = new AbortController().signal) => ({ projectId, name: 'odd', signal });
const call = (made: Integrations, tool: string, projectId = 'p'): Promise<string> =>
  made.call(use(projectId), { tool, input: {} });

/**
 * Returns the part (0 to 1) of the processor time of this thread during work that the longest tick of the event loop
 * used. Work that blocks all other work uses its time in one tick; a slow machine changes both times alike.
 */
async function shareOfLongestTick(work: () => Promise<unknown>): Promise<number> {
  const begun = threadTimeMs();
  let [before, longest] = [begun, 0];
  const over = new AbortController();
  const ticks = (async () => {
    while (!over.signal.aborted) {
      await nextTick();
      const now = threadTimeMs();
      longest = Math.max(longest, now - before);
      before = now;
    }
  })();
  await work().finally(() => over.abort());
  await ticks;
  return longest / (threadTimeMs() - begun);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

describe('a server on standard input and output', () => {
  it('keeps its process for further calls, and has one process for each project', async () => {
    const made = open([integration(stdio())]);
    const first = await call(made, 'count');
    expect(first).toMatch(/^call 1 of process \d+$/);
    expect(await call(made, 'count')).toBe(first.replace('call 1', 'call 2'));
    expect(await call(made, 'count', 'q')).toMatch(/^call 1 /);
  });

  it('is started again by the next call after it died in one', async () => {
    const made = open([integration(stdio())]);
    const before = await call(made, 'count');
    await expect(call(made, 'die')).rejects.toThrow(IntegrationError);
    const after = await call(made, 'count');
    expect(after).toMatch(/^call 1 /);
    expect(after).not.toBe(before);
    expect(warned).toEqual([
      { integration: 'odd', project: 'p', said: expect.stringMatching(/^hostile server \d+ with <secret:TOKEN>\n$/) },
    ]);
  });

  it('whose standard error is too long to be kept shows no part of a secret at its beginning', async () => {
    await expect(call(open([integration(stdio('wordy'))]), 'die')).rejects.toThrow(IntegrationError);
    expect(warned).toEqual([{ integration: 'odd', project: 'p', said: expect.stringMatching(/^y{1900,}$/) }]);
  });

  it('that hangs in a call ends it at its deadline, and stays where it answers others', async () => {
    const made = open([integration(stdio())]);
    const before = await call(made, 'count');
    await expect(call(made, 'hang')).rejects.toThrow(/timed out/i);
    expect(await call(made, 'count')).toBe(before.replace('call 1', 'call 3'));
  });

  it('that answers nothing is given up, and its process is ended', async () => {
    const made = open([integration(stdio('mute'))], { connectMs: 1_500 });
    await expect(made.tools(use())).rejects.toThrow(/timed out/i);
    const [{ said }] = warned as [{ said: string }];
    expect(isAlive(Number(/^hostile server (\d+)/.exec(said)?.[1]))).toBe(false);
  });

  it.each([
    ['flood', /more than 1000000 bytes at once/],
    ['noise', /more than 10000 lines at once/],
    ['nest', /nested too deeply/],
  ])('that answers %s is bounded', async (tool, says) => {
    const made = open([integration(stdio())], { callMs: 10_000 });
    const said = await call(made, tool).catch((error: unknown) => String(error));
    expect(said).toMatch(says);
    expect(await call(made, 'count')).toMatch(/^call/);
  });

  it('that sends thousands of lines lets other work run in between', async () => {
    const made = open([integration(stdio())], { callMs: 10_000 });
    await call(made, 'chatter');
    expect(await shareOfLongestTick(() => call(made, 'chatter'))).toBeLessThan(0.4);
  });

  it('gets at most 100 replies to its own requests for each call', async () => {
    const made = open([integration(stdio())]);
    expect(await call(made, 'pings')).toMatch(/^call 1 /);
    expect(await call(made, 'replies')).toBe('100 replies');
  });

  it('shows no secret of its environment', async () => {
    expect(await call(open([integration(stdio())]), 'leak')).toBe('My token is <secret:TOKEN>.');
  });

  it('is ended with every process that it has started, also when it ignores signals', async () => {
    const made = open([integration(stdio('stubborn'))]);
    const pids = (await call(made, 'fork')).split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await made.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    await expect(call(made, 'count')).rejects.toThrow('shutting down');
  });

  it('is ended when it was not used for a time', async () => {
    const made = open([integration(stdio())], { idleMs: 50 });
    const pid = Number((await call(made, 'count')).split(' ').at(-1));
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await call(made, 'count')).toMatch(/^call 1 /);
  });

  it('that was not used for longest makes room for another project', async () => {
    const made = open([integration(stdio())]);
    await call(made, 'count', 'a');
    await call(made, 'count', 'b');
    await call(made, 'count', 'c');
    expect(await call(made, 'count', 'b')).toMatch(/^call 2 /);
    expect(await call(made, 'count', 'a')).toMatch(/^call 1 /);
  });

  it('refuses more connections at once than the limit', async () => {
    const made = open([integration(stdio())], { connections: 1 });
    const first = call(made, 'hang', 'a').catch(String);
    await expect(call(made, 'count', 'b')).rejects.toThrow('All 1 connections of integrations are in use');
    expect(await first).toMatch(/timed out/i);
  });

  it('is not waited for by a task that ends', async () => {
    const beganMs = performance.now();
    const made = open([integration(stdio('mute'))]);
    const task = new AbortController();
    const asked = made.tools(use('p', task.signal));
    task.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
    // The end of the service does not wait for the connection attempt either.
    await made.close();
    expect(performance.now() - beganMs).toBeLessThan(bounds.connectMs);
  });

  it('whose command does not exist fails with the reason', async () => {
    const transport = { ...stdio(), command: '/nowhere/server' } as IntegrationTransport;
    await expect(open([integration(transport)]).tools(use())).rejects.toThrow(/ENOENT/);
  });
});

describe('the tools of an integration', () => {
  it('are those of the configuration alone', async () => {
    const made = open([integration(stdio(), { tools: new Set(['count']) })]);
    expect((await made.tools(use())).map(({ name }) => name)).toEqual(['count']);
    await expect(call(made, 'leak')).rejects.toThrow('has no tool "leak"');
  });

  it.each([
    ['number', { tools: 3 }],
    ['size', { listBytes: 100 }],
  ])('are limited in their %s', async (_what, limit) => {
    await expect(open([integration(stdio())], limit).tools(use())).rejects.toThrow('name those to use in the file');
  });

  it('are out of reach of a project that may not use it', async () => {
    const made = open([integration(stdio(), { projects: new Set(['q']) })]);
    await expect(made.tools(use())).rejects.toThrow('There is no integration "odd"');
    expect(made.list('p')).toEqual([]);
    expect(made.list('q')).toHaveLength(1);
  });
});

describe('a server over HTTP', () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }
  const http = (url: string): IntegrationTransport => ({
    kind: 'http',
    url,
    headers: new Map([['Authorization', ['Bearer ', { secret: 'TOKEN' }]]]),
  });

  it('gets the configured headers, and its refusal is told without them', async () => {
    const url = await serve((request, response) => {
      response.writeHead(401).end(`no access for ${request.headers.authorization ?? 'nothing'}`);
    });
    await expect(open([integration(http(url))]).tools(use())).rejects.toThrow('no access for Bearer <secret:TOKEN>');
  });

  it('shows no part of a secret where its long refusal is cut off', async () => {
    let padding = 0;
    const url = await serve((request, response) => {
      response.writeHead(401).end(`${'x'.repeat(padding)}${request.headers.authorization}`);
    });
    for (padding = 900; padding <= 1_000; padding += 7) {
      const error: unknown = await open([integration(http(url))])
        .tools(use())
        .catch((reason: unknown) => reason);
      expect(String(error)).not.toMatch(/Bearer t/);
      expect(String(error).length).toBeLessThan(1_100);
    }
  });

  it('is not followed to another host', async () => {
    const seen: string[] = [];
    const other = await serve((request, response) => {
      seen.push(String(request.url));
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: other }).end());
    await expect(open([integration(http(url))]).tools(use())).rejects.toThrow(/Redirect to .* not followed/);
    expect(seen).toEqual([]);
  });

  it.each(['application/json', 'text/event-stream'])('that answers without an end as %s is bounded', async (type) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      const piece = ' '.repeat(65_536);
      const more = (): void => void (response.destroyed || response.write(piece, () => setImmediate(more)));
      more();
    });
    const made = open([integration(http(url))], { answerBytes: 200_000, connectMs: 2_000 });
    await expect(made.tools(use())).rejects.toThrow(/more than 200000 bytes|timed out/i);
  });

  it('whose list of tools never ends is refused, and no tool is left out silently', async () => {
    const url = await serve((request, response) => {
      void text(request).then((body) => {
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        const results: Record<string, unknown> = {
          initialize: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'x', version: '1' },
          },
          'tools/list': { tools: [], nextCursor: 'more' },
        };
        if (id === undefined) return response.writeHead(202).end();
        response.setHeader('content-type', 'application/json');
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
      });
    });
    await expect(open([integration(http(url))]).tools(use())).rejects.toThrow('more than 20 pages');
  });

  /** Answers calls of tools with an event stream: the given events, and then the result `ok`. */
  const serveEvents = (events: string, count: (method: string | undefined) => void): Promise<string> =>
    serve((request, response) => {
      void text(request).then((body) => {
        const { id, method } = JSON.parse(body) as { id?: number; method?: string };
        count(method);
        if (id === undefined || method === undefined) return response.writeHead(202).end();
        const serverInfo = { name: 'x', version: '1' };
        const result =
          method === 'initialize'
            ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
            : { content: [{ type: 'text', text: 'ok' }] };
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const answer = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
        return response.end(`${method === 'initialize' ? '' : events}${answer}`);
      });
    });

  it('that sends thousands of events lets other work run in between', async () => {
    const url = await serveEvents('data: 0\n\n'.repeat(4_900), () => undefined);
    const made = open([integration(http(url))], { callMs: 10_000 });
    await call(made, 'a');
    expect(await shareOfLongestTick(() => call(made, 'a'))).toBeLessThan(0.4);
  });

  it('that sends more events than the limit is given up', async () => {
    const url = await serveEvents('data: 0\n\n'.repeat(5_100), () => undefined);
    await expect(call(open([integration(http(url))]), 'a')).rejects.toThrow(/timed out/i);
  });

  it('gets at most 100 replies to its own requests for each call', async () => {
    let replies = 0;
    const pings = Array.from({ length: 1_000 }, (_, id) => `data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`);
    const url = await serveEvents(pings.join(''), (method) => void (replies += method === undefined ? 1 : 0));
    const made = open([integration(http(url))], { callMs: 10_000 });
    expect(await call(made, 'a')).toBe('ok');
    await expect.poll(() => replies).toBe(100);
    expect(await call(made, 'a')).toBe('ok');
    await expect.poll(() => replies).toBe(200);
  });

  it('that never answers is given up', async () => {
    const url = await serve(() => undefined);
    await expect(open([integration(http(url))], { connectMs: 300 }).tools(use())).rejects.toThrow(/timed out/i);
  });
});
