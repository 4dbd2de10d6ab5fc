import { setTimeout } from 'node:timers/promises';
import type { ServiceProcess } from '../tools/conformance/svc-process.ts';
import { processorSeconds } from './process-usage.ts';
import { attachToPage, connectDevTools, type DevTools } from './dev-tools.ts';
import { getAnswer, getId, stopBrowser } from './service-access.ts';
import type { BenchRow } from './table/bench-row.ts';

const rounds = 3;
const roundMs = 3_000;
const restMs = 4_000;
const animatedPage = `data:text/html,${encodeURIComponent(`<body style="margin:0"><canvas width=1280 height=720></canvas><script>
  const picture = document.querySelector('canvas').getContext('2d'); let n = 0;
  (function paint() {
    n += 1; picture.fillStyle = 'hsl(' + n % 360 + ' 80% 50%)'; picture.fillRect(0, 0, 1280, 720); picture.fillStyle = 'black';
    for (let i = 0; i < 200; i += 1) picture.fillText('text ' + i * n, (i * 67) % 1200, (i * 41) % 700);
    requestAnimationFrame(paint);
  })();
</script>`)}`;
const restingPage = `data:text/html,${encodeURIComponent('<h1>At rest</h1>')}`;

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
  await using owned = new AsyncDisposableStack();
  const created = await getAnswer(`${address}/api/v4/browsers`, create, 201);
  owned.defer(() => stopBrowser({ address, key }, getId(created)));
  const { cdpUrl = '', liveUrl = '' } = getTexts(created);
  const client = await connectDevTools(cdpUrl);
  owned.defer(() => client.close());
  const sessionId = await attachToPage(client);
  await client.send({ method: 'Page.navigate', params: { url: restingPage }, sessionId });
  const restBefore = await processorShare(pid, restMs);
  const watching = await watch(liveUrl);
  const restWatched = await processorShare(pid, restMs);
  watching.close();
  await setTimeout(1_000);
  const atRest = [restBefore, restWatched, await processorShare(pid, restMs)];

  await client.send({ method: 'Page.navigate', params: { url: animatedPage }, sessionId });
  const rates: { viewer: number[]; client: number[] } = { viewer: [], client: [] };
  for (let round = 0; round < rounds; round += 1) {
    rates.viewer.push(await viewerRate(liveUrl));
    rates.client.push(await clientRate(client, sessionId));
  }
  return { ...rates, atRest };
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
  await setTimeout(roundMs);
  const rate = ((viewer.pictures() - before) * 1_000) / roundMs;
  viewer.close();
  return rate;
}

/**
 * Returns the frames per second that a DevTools client receives from the screencast of its page. The client
 * acknowledges each frame at once.
 */
async function clientRate(client: DevTools, sessionId: string): Promise<number> {
  let pictures = 0;
  const forget = client.listen('Page.screencastFrame', ({ params }) => {
    pictures += 1;
    const frame = 'sessionId' in params ? params.sessionId : 0;
    const acknowledged = client.send({ method: 'Page.screencastFrameAck', params: { sessionId: frame }, sessionId });
    // The connection may end before the reply. Without an acknowledgement no frame follows, which the rate shows.
    acknowledged.catch(() => undefined);
  });
  const params = { format: 'jpeg', quality: 70, everyNthFrame: 1 };
  await client.send({ method: 'Page.startScreencast', params, sessionId });
  await setTimeout(500);
  const before = pictures;
  await setTimeout(roundMs);
  const rate = ((pictures - before) * 1_000) / roundMs;
  await client.send({ method: 'Page.stopScreencast', sessionId });
  forget();
  return rate;
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
