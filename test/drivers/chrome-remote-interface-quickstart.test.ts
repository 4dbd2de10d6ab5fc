import CDP, { type Client } from 'chrome-remote-interface';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTunnel } from '../support/start-tunnel.ts';
import { type Stage, startStage } from './start-stage.ts';

const playMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
}, playMs);
afterAll(() => stage.stop(), playMs);

it(
  'the example of chrome-remote-interface runs over the host and port of a tunnel',
  async () => {
    const { cdpUrl } = await stage.browser();
    const tunnel = await startTunnel(cdpUrl);
    const [host = '', port] = tunnel.address.split(':');
    const asked: string[] = [];
    let client: Client | undefined;
    try {
      client = await CDP({ host, port: Number(port) });
      const { Network, Page } = client;
      Network.requestWillBeSent((params) => {
        asked.push(params.request.url);
      });
      await Network.enable();
      await Page.enable();
      await Page.navigate({ url: `${stage.origin}/loading` });
      // The example registers its listener after the navigation. The page therefore loads until `/release` is
      // requested.
      await Promise.all([Page.loadEventFired(), fetch(`${stage.origin}/release`)]);
    } finally {
      await client?.close();
      await tunnel.stop();
    }
    expect(asked).toEqual([`${stage.origin}/loading`, `${stage.origin}/held`]);
    expect(tunnel.complaints()).toBe('');
  },
  playMs,
);

it(
  'chrome-remote-interface drives a page over the cdpUrl as its target, in a session of its own',
  async () => {
    const { cdpUrl } = await stage.browser();
    const client = await CDP({ target: cdpUrl, local: true });
    const { Page, Runtime, Target } = client;
    const { targetInfos } = await Target.getTargets();
    const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
    const { sessionId } = await Target.attachToTarget({ targetId, flatten: true });
    await Page.enable(sessionId);
    const loaded = Page.loadEventFired(sessionId);
    await Page.navigate({ url: `${stage.origin}/post` }, sessionId);
    await loaded;
    const { result } = await Runtime.evaluate({ expression: 'document.title' }, sessionId);
    await client.close();
    expect(result.value).toBe('Post');
  },
  playMs,
);
