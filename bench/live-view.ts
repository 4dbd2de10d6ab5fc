import { setTimeout } from 'node:timers/promises';
import type { ServiceProcess } from '../tools/conformance/svc-process.ts';
import { processorSeconds } from './process-usage.ts';
import { getAnswer } from './service-access.ts';
import type { BenchRow } from './table/bench-row.ts';

const ROUNDS = 3;
const ROUND_MS = 3_000;
const REST_MS = 4_000;
const ANIMATED = `data:text/html,${encodeURIComponent(`<body style="margin:0"><canvas width=1280 height=720></canvas><script>
  const picture = document.querySelector('canvas').getContext('2d'); let n = 0;
  (function paint() {
    n += 1; picture.fillStyle = 'hsl(' + n % 360 + ' 80% 50%)'; picture.fillRect(0, 0, 1280, 720); picture.fillStyle = 'black';
    for (let i = 0; i < 200; i += 1) picture.fillText('text ' + i * n, (i * 67) % 1200, (i * 41) % 700);
    requestAnimationFrame(paint);
  })();
</script>`)}`;
const AT_REST = `data:text/html,${encodeURIComponent('<h1>At rest</h1>')}`;

/** Figures of a live view of 1280x720. */
export interface LiveViewFigures {
  /**
   * Frames per second that a viewer receives, by round. `client` has the frames per second that a DevTools client of
   * the same browser receives.
   */
  readonly viewer: readonly number[];
  readonly client: readonly number[];
  /**
   * Shares of one processor that the service and its browsers use for a static page: before, while and after a viewer
   * watches it.
   */
  readonly atRest: readonly number[];
}

/**
 * Measures a live view: the frame rates of a viewer and of a DevTools client for an animated page, and the processor
 * time for a static page.
 */
export async function measureLiveView({ address, pid }: ServiceProcess, key: string): Promise<LiveViewFigures> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const screen = { browserScreenWidth: 1280, browserScreenHeight: 720 };
  const create = { method: 'POST', headers, body: JSON.stringify(screen) };
  const { id, cdpUrl, liveUrl } = getTexts(await getAnswer(`${address}/api/v4/browsers`, create, 201));
  const client = await openSocket(cdpUrl ?? '');
  const session = await attach(client);
  try {
    await ask(client, { method: 'Page.navigate', params: { url: AT_REST }, sessionId: session });
    const restBefore = await processorShare(pid, REST_MS);
    const watching = await watch(liveUrl ?? '');
    const restWatched = await processorShare(pid, REST_MS);
    watching.close();
    await setTimeout(1_000);
    const atRest = [restBefore, restWatched, await processorShare(pid, REST_MS)];

    await ask(client, { method: 'Page.navigate', params: { url: ANIMATED }, sessionId: session });
    const rates: { viewer: number[]; client: number[] } = { viewer: [], client: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.viewer.push(await viewerRate(liveUrl ?? ''));
      rates.client.push(await clientRate(client, session));
    }
    return { ...rates, atRest };
  } finally {
    client.close();
    const stop = { method: 'PATCH', headers, body: JSON.stringify({ action: 'stop' }) };
    await getAnswer(`${address}/api/v4/browsers/${id}`, stop, 200);
  }
}

/** Returns the share of one processor that a process and its descendants use during the next `ms` milliseconds. */
async function processorShare(pid: number, ms: number): Promise<number> {
  const [before, start] = [processorSeconds(pid), performance.now()];
  await setTimeout(ms);
  return ((processorSeconds(pid) - before) * 1_000) / (performance.now() - start);
}

/** Connects a viewer that acknowledges each frame at once. */
async function watch(liveUrl: string): Promise<{ pictures: () => number; close: () => void }> {
  const socket = await openSocket(`${liveUrl.replace(/^http/, 'ws')}/socket`);
  let pictures = 0;
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
    if (!(data instanceof ArrayBuffer)) return;
    pictures += 1;
    socket.send(JSON.stringify({ type: 'ack', picture: new DataView(data).getUint32(0) }));
  });
  return { pictures: () => pictures, close: () => socket.close() };
}

async function viewerRate(liveUrl: string): Promise<number> {
  const viewer = await watch(liveUrl);
  await setTimeout(500);
  const before = viewer.pictures();
  await setTimeout(ROUND_MS);
  const rate = ((viewer.pictures() - before) * 1_000) / ROUND_MS;
  viewer.close();
  return rate;
}

/**
 * Returns the frames per second that a DevTools client receives from the screencast of its page. The client
 * acknowledges each frame at once.
 */
async function clientRate(client: WebSocket, sessionId: string): Promise<number> {
  let pictures = 0;
  const take = ({ data }: { readonly data: unknown }): void => {
    const message: unknown = JSON.parse(String(data));
    if (!isObject(message) || message['method'] !== 'Page.screencastFrame' || !isObject(message['params'])) return;
    pictures += 1;
    const params = { sessionId: message['params']['sessionId'] };
    client.send(JSON.stringify({ id: COMMAND_ID + pictures, method: 'Page.screencastFrameAck', params, sessionId }));
  };
  client.addEventListener('message', take);
  const params = { format: 'jpeg', quality: 70, everyNthFrame: 1 };
  await ask(client, { method: 'Page.startScreencast', params, sessionId });
  await setTimeout(500);
  const before = pictures;
  await setTimeout(ROUND_MS);
  const rate = ((pictures - before) * 1_000) / ROUND_MS;
  await ask(client, { method: 'Page.stopScreencast', sessionId });
  client.removeEventListener('message', take);
  return rate;
}

async function attach(client: WebSocket): Promise<string> {
  const { targetInfos } = await ask(client, { method: 'Target.getTargets' });
  const page = Array.isArray(targetInfos)
    ? targetInfos.filter(isObject).find(({ type }) => type === 'page')
    : undefined;
  const params = { targetId: page?.['targetId'], flatten: true };
  return String((await ask(client, { method: 'Target.attachToTarget', params }))['sessionId']);
}

/**
 * Id of every command that `ask` sends. One id suffices, because `ask` never waits for two responses at the same time.
 */
const COMMAND_ID = 1;

function ask(client: WebSocket, command: Record<string, unknown>): Promise<Record<string, unknown>> {
  const id = COMMAND_ID;
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
  const take = ({ data }: { readonly data: unknown }): void => {
    const message: unknown = JSON.parse(String(data));
    if (!isObject(message) || message['id'] !== id) return;
    client.removeEventListener('message', take);
    resolve(isObject(message['result']) ? message['result'] : {});
  };
  client.addEventListener('message', take);
  client.send(JSON.stringify({ ...command, id }));
  return promise;
}

async function openSocket(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`cannot connect to ${address}`)), { once: true });
  });
  return socket;
}

function getTexts(value: unknown): Record<string, string> {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)])) : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Frames per second of a live view against those of Chromium's own screencast. A remark has the processor time for a
 * static page.
 */
export const liveView: BenchRow = {
  ids: ['live-view'],
  async measure(stage) {
    const service = await stage.service('live');
    const { viewer, client, atRest } = await measureLiveView(service, service.key);
    await stage.end('live');
    const shares = atRest.map((share) => `${(share * 100).toFixed(1)} %`).join(', ');
    const note = `processor for a page at rest before, while and after it is watched: ${shares}`;
    return [{ id: 'live-view', ours: viewer, anchor: client, note }];
  },
};
