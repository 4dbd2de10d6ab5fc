import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { Agent } from '#agent/agent.ts';
import { FileError } from '#agent/files.ts';
import type { BrowserHost } from '#browsers/host.ts';
import type { DownloadTaker } from '#browsers/downloads/downloads.ts';
import { createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;

afterEach(() => started.stop());

/**
 * Creates a host whose browsers report how their downloads are claimed: they call `told` for each claim, and when the
 * claim is cancelled or stopped.
 */
function claimingHost(host: BrowserHost, told: (what: string, taker?: DownloadTaker) => void): BrowserHost {
  let count = 0;
  const takeDownloads = (taker: DownloadTaker) => {
    const number = (count += 1);
    told(`claim ${number}`, taker);
    return {
      settled: async () => undefined,
      cancel: () => told(`cancel ${number}`),
      stop: async () => told(`stop ${number}`),
    };
  };
  return { ...host, launch: async (options) => ({ ...(await host.launch(options)), takeDownloads }) };
}

it('the next task begins, and downloads, when the last step of a task that was stopped has ended', async () => {
  const order: string[] = [];
  const gates = createGatedHost();
  const { promise: holding, resolve: held } = Promise.withResolvers<() => void>();
  const agent: Agent = {
    async run({ goal }, world) {
      if (goal === 'first') {
        held(gates.holdScreenshots());
        await world.step({ summary: 's', action: {}, url: 'about:blank', usage: { inputTokens: 0, outputTokens: 0 } });
      }
      return { success: true, output: null };
    },
  };
  started = await startBackend({ agent, host: claimingHost(gates, (what) => void order.push(what)) });
  const v4 = createApiClient(started.address, testKey, 'v4');
  const { id, sessionId = '' } = (await v4.call('POST', '/runs', { task: 'first' })).body;
  const letGo = await holding;
  await v4.call('POST', `/runs/${String(id)}/cancel`);
  expect(order.slice(0, 2)).toEqual(['claim 1', 'cancel 1']);
  const next = (await v4.call('POST', '/runs', { task: 'second', sessionId })).body;
  await expect.poll(() => order.at(-1)).toBe('stop 1');
  letGo();
  await v4.until(String(next['id']), ({ status }) => status === 'completed');
  expect(order.slice(0, 4)).toEqual(['claim 1', 'cancel 1', 'stop 1', 'claim 2']);
});

it('what came to nothing is told, and not without end', async () => {
  let told = 0;
  const agent: Agent = {
    async run(_task, { files }) {
      const isTold = (): Promise<boolean> =>
        files.downloads().then(
          () => false,
          (error: unknown) => error instanceof FileError,
        );
      while (await isTold()) told += 1;
      return { success: true, output: null };
    },
  };
  const host = claimingHost(createGatedHost(), (_what, taker) => {
    for (let index = 0; index < 1_000; index += 1) taker?.refused(`${index}.txt`, 'it broke off');
  });
  started = await startBackend({ agent, host });
  const v4 = createApiClient(started.address, testKey, 'v4');
  const { id } = (await v4.call('POST', '/runs', { task: 'any' })).body;
  await v4.until(String(id), ({ status }) => status === 'completed');
  expect(told).toBe(100);
});

it('what a page calls a download stands in no log: it may hold what was typed into the page', async () => {
  const lines: string[] = [];
  const { promise: claimed, resolve: claim } = Promise.withResolvers<DownloadTaker>();
  const host = claimingHost(createGatedHost(), (_what, taker) => taker !== undefined && claim(taker));
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const agent = createScriptedAgent();
  started = await startBackend({ agent, host, log });
  const v4 = createApiClient(started.address, testKey, 'v4');
  const { workspaceId } = (await v4.call('POST', '/runs', { task: 'any' })).body;
  const [taker, running] = [await claimed, await waitForTask(agent, 'any')];
  await v4.call('DELETE', `/workspaces/${String(workspaceId)}`);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('abc');
  }
  await taker.take({ fileName: 'what-was-typed.txt', size: 3, bytes: bytes() });
  await expect(running.world.files.downloads()).rejects.toThrow('what-was-typed.txt was not saved');
  expect(lines.join('')).toContain('a download was not kept');
  expect(lines.join('')).not.toContain('what-was-typed');
});
