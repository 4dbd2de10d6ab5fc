import { afterEach, describe, expect, it } from 'vitest';
import type { LiveReport } from '#contract/live-messages.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type TestViewing, connectViewer } from './support/connect-viewer.ts';
import { type BackendChanges, type StartedBackend, startBackend } from './support/start-backend.ts';

let running: StartedBackend;
let v4: ApiClient;
afterEach(() => running.stop());

async function start(changes: BackendChanges = {}): Promise<{ id: string; liveUrl: string }> {
  running = await startBackend(changes);
  v4 = createApiClient(running.address, undefined, 'v4');
  return create();
}

async function create(): Promise<{ id: string; liveUrl: string }> {
  const { body } = await v4.call('POST', '/browsers', {});
  return { id: String(body['id']), liveUrl: String(body['liveUrl']) };
}

function withLimits(changes: Readonly<Record<string, number>>): RuleBook {
  const rows = defaultRules.limits.limits.map((row) => {
    const value = changes[row.limit];
    return value === undefined ? row : { ...row, value };
  });
  return { ...defaultRules, limits: { ...defaultRules.limits, limits: rows } };
}

const isScene = ({ type }: LiveReport): boolean => type === 'scene';

/** Returns the view-only URL of the browser that a viewer watches. Throws if the viewer received no view-only path. */
async function viewOnly(liveUrl: string, viewer: TestViewing): Promise<string> {
  const report = await viewer.report(isScene);
  if (report.type !== 'scene' || report.viewOnlyPath === null) throw new Error('no path to hand on');
  return new URL(report.viewOnlyPath, liveUrl).href;
}

describe('the page of a live view', () => {
  it('opens without a key, may be framed by anyone, and runs nothing but its own script', async () => {
    const { id, liveUrl } = await start();
    const page = await fetch(liveUrl);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('x-frame-options')).toBeNull();
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain('frame-ancestors *');
    expect(policy).not.toContain('unsafe');
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    const text = await page.text();
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).toContain(`<script nonce="${nonce}">`);
    expect(text).not.toMatch(/https?:\/\//);
    expect(await (await fetch(liveUrl)).text()).not.toContain(String(nonce));

    const wrong = await fetch(`${liveUrl}x`);
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    await v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect((await fetch(liveUrl)).status).toBe(404);
    await expect(connectViewer(liveUrl)).rejects.toThrow('404');
  });

  it('has no tools where it may only be looked at', async () => {
    const { liveUrl } = await start();
    const viewer = await connectViewer(liveUrl);
    const text = await (await fetch(await viewOnly(liveUrl, viewer))).text();
    expect(text).toContain('data-mode="view"');
    expect(text).not.toMatch(/id="(keys|tools|panel)"/);
    viewer.close();
  });
});

describe('a viewer', () => {
  it('sees a simulated browser, which says that it is one', async () => {
    const { liveUrl } = await start();
    const viewer = await connectViewer(liveUrl, { headers: { origin: 'https://elsewhere.example' } });
    const report = await viewer.report(isScene);
    expect(report).toMatchObject({ mode: 'interactive', scene: { isSimulated: true, active: 'SIMULATED-PAGE' } });
    await expect.poll(() => viewer.pictures).toEqual([1]);
    viewer.send({ type: 'text', text: 'without effect' });
    viewer.send({ type: 'copy' });
    expect(await viewer.report(({ type }) => type === 'copied')).toEqual({ type: 'copied', text: '' });
    viewer.close();
  });

  it('refuses every action of a view-only viewer, and gives it no other URL', async () => {
    const { liveUrl } = await start();
    const control = await connectViewer(liveUrl);
    const looking = await connectViewer(await viewOnly(liveUrl, control));
    expect(await looking.report(isScene)).toMatchObject({ mode: 'view', viewOnlyPath: null });
    expect(JSON.stringify(looking.reports)).not.toContain(new URL(liveUrl).pathname.split('/').at(-1));
    for (const wish of [
      { type: 'text', text: 'x' },
      { type: 'copy' },
      { type: 'tab', id: 'SIMULATED-PAGE' },
      { type: 'resize', width: 800, height: 600 },
    ] as const)
      looking.send(wish);
    await expect.poll(() => looking.reports.filter(({ type }) => type === 'refused')).toHaveLength(4);
    expect(looking.reports.some(({ type }) => type === 'copied')).toBe(false);
    control.close();
    looking.close();
  });

  it('that sends what no page sends is disconnected', async () => {
    const { liveUrl } = await start();
    for (const message of [
      '{',
      '[]',
      '{"type":"close"}',
      '{"type":"tab"}',
      `{"type":"text","text":"${'x'.repeat(600_000)}"}`,
    ]) {
      const viewer = await connectViewer(liveUrl);
      viewer.socket.send(message);
      expect(await viewer.ended).toMatchObject({ code: 1011 });
    }
    const viewer = await connectViewer(liveUrl);
    viewer.socket.send('x'.repeat(1_100_000));
    expect(await viewer.ended).toMatchObject({ code: 1009 });
  });

  it('is told when the browser ends, and when the service does', async () => {
    const { id, liveUrl } = await start();
    const viewer = await connectViewer(liveUrl);
    await viewer.report(isScene);
    await v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(await viewer.ended).toEqual({ code: 1001, reason: 'no browser is running' });
    expect(viewer.reports.at(-1)).toEqual({ type: 'gone' });
    const other = await connectViewer((await create()).liveUrl);
    await other.report(isScene);
    await running.backend.close();
    expect(await other.ended).toMatchObject({ code: 1001 });
  });

  it('hears that the connection stands, and is one of a bounded number', async () => {
    const { liveUrl } = await start({ rules: withLimits({ liveAliveInterval: 20, liveViewers: 2 }) });
    const first = await connectViewer(liveUrl);
    expect(await first.report(({ type }) => type === 'alive')).toEqual({ type: 'alive' });
    const second = await connectViewer(await viewOnly(liveUrl, first));
    await expect(connectViewer(liveUrl)).rejects.toThrow('429');
    second.close();
    await second.ended;
    await expect.poll(() => connectViewer(liveUrl).catch(() => null)).not.toBeNull();
    first.close();
  });
});

describe('the live view of a shared session', () => {
  it('opens with the address of the share, to look at, until the share or the session ends', async () => {
    running = await startBackend();
    const v2 = createApiClient(running.address, undefined, 'v2');
    const sessionId = String((await v2.call('POST', '/sessions', {})).body['id']);
    const { body: task } = await v2.call('POST', '/tasks', { task: 'Open https://example.com/', sessionId });
    const session = `/sessions/${sessionId}`;
    const share = String((await v2.call('POST', `${session}/public-share`)).body['shareUrl']);
    await v2.until(String(task['id']), ({ status }) => status === 'finished');
    const link = /href="(\.\.\/live\/[^"]+)"/.exec(await (await fetch(share)).text())?.[1] ?? '';
    const address = new URL(link, share).href;
    const viewer = await connectViewer(address);
    expect(await viewer.report(isScene)).toMatchObject({ mode: 'view', viewOnlyPath: null });
    viewer.close();
    await v2.call('DELETE', `${session}/public-share`);
    expect((await fetch(address)).status).toBe(404);
    const again = String((await v2.call('POST', `${session}/public-share`)).body['shareUrl']);
    await v2.call('PATCH', session, { action: 'stop' });
    expect(await (await fetch(again)).text()).not.toContain('/live/');
    expect((await fetch(again.replace('/share/', '/live/'))).status).toBe(404);
  });
});
