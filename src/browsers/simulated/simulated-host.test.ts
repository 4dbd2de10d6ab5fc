import type { LiveScene } from '#contract/live-messages.ts';
import { createTestViewer } from '../testing/test-viewer.ts';
import { describe, expect, test } from 'vitest';
import { TabError } from '../tab/tab.ts';
import type { HostedBrowser } from '../host.ts';
import { createSimulatedHost } from './simulated-host.ts';

const wanted = { sessionId: 's1', screen: { width: 1280, height: 800 }, proxyCountryCode: 'us' };
const launch = (): Promise<HostedBrowser> => createSimulatedHost().launch(wanted);

test('traffic is counted for the managed proxy alone', async () => {
  const customProxy = { scheme: 'http', host: 'proxy.example', port: 1, ignoreCertErrors: false } as const;
  const custom = { customProxy: { ...customProxy, username: null, password: null } };
  for (const [changes, want] of [
    [{}, true],
    [{ proxyCountryCode: null }, false],
    [custom, false],
  ] as const) {
    const browser = await createSimulatedHost().launch({ ...wanted, ...changes });
    await (await browser.tab()).open('https://shop.example/');
    expect(browser.trafficBytes() > 0).toBe(want);
  }
});

describe('a simulated tab', () => {
  test('answers from the address, the same every time', async () => {
    const read = async (): Promise<unknown[]> => {
      const browser = await launch();
      const tab = await browser.tab();
      await tab.open('https://shop.example/fruit');
      return [
        await tab.url(),
        await tab.title(),
        await tab.headings(),
        await tab.links(),
        await tab.tables(),
        browser.trafficBytes(),
      ];
    };
    const [url, title, headings, links, tables, bytes] = await read();
    expect([url, title, headings]).toEqual(['https://shop.example/fruit', 'shop.example', ['Welcome to shop.example']]);
    expect(links).toEqual([{ text: 'More', url: 'https://shop.example/more' }]);
    expect(tables).toEqual([
      {
        caption: 'Request',
        header: ['Part', 'Value'],
        rows: [
          ['Host', 'shop.example'],
          ['Path', '/fruit'],
        ],
      },
    ]);
    expect(bytes).toBeGreaterThan(500);
    expect(await read()).toEqual([url, title, headings, links, tables, bytes]);
  });

  test('reads data: pages, plain and base64, and counts no traffic for them', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    const html = '<title>A &amp; B</title><h2>One <b>two</b></h2><p>Text</p><script>no()</script>';
    for (const url of [`data:text/html,${encodeURIComponent(html)}`, `data:text/html;base64,${btoa(html)}`]) {
      await tab.open(url);
      expect(await tab.title()).toBe('A & B');
      expect(await tab.headings()).toEqual(['One two']);
      expect(await tab.text()).toBe('One two Text');
    }
    expect(browser.trafficBytes()).toBe(0);
  });

  test('follows links, accepts buttons and fields, and presses keys', async () => {
    const tab = await (await launch()).tab();
    await tab.open('https://shop.example');
    await tab.type('search', 'pear');
    await tab.press('Enter');
    await tab.click('Go');
    await tab.click('more');
    expect(await tab.url()).toBe('https://shop.example/more');
  });

  test('fails as a real page does', async () => {
    const tab = await (await launch()).tab();
    await expect(tab.open('file:///etc/passwd')).rejects.toThrow(TabError);
    await expect(tab.open('https://shop.invalid/')).rejects.toThrow('the host shop.invalid is unknown');
    await expect(tab.open('data:text/html,%')).rejects.toThrow(TabError);
    await expect(tab.click('Nothing')).rejects.toThrow('there is no such link or button');
    await expect(tab.type('Nothing', 'x')).rejects.toThrow('there is no such field');
    expect(await tab.url()).toBe('about:blank');
  });
});

describe('a simulated browser', () => {
  test('shows a JPEG', async () => {
    const browser = await launch();
    const frames: Uint8Array[] = [];
    const scenes: LiveScene[] = [];
    const viewer = createTestViewer({ picture: ({ jpeg }) => frames.push(jpeg), scene: (scene) => scenes.push(scene) });
    const seat = await browser.watch(viewer);
    await seat.leave();
    expect(scenes).toMatchObject([{ isSimulated: true, tabs: [{ url: 'about:blank' }] }]);
    for (const frame of [await browser.screenshot(), ...frames]) {
      expect([...frame.subarray(0, 2), ...frame.subarray(-2)]).toEqual([0xff, 0xd8, 0xff, 0xd9]);
    }
    expect(frames).toHaveLength(1);
  });

  test('ends as expected by stop, once', async () => {
    const browser = await launch();
    await browser.stop();
    await browser.stop();
    expect(await browser.ended).toMatchObject({ expected: true });
    await expect(browser.tab()).rejects.toThrow(TabError);
  });

  test('ends unexpectedly by a crash, and its tab fails', async () => {
    const host = createSimulatedHost();
    const browser = await host.launch(wanted);
    const tab = await browser.tab();
    host.crash('s1');
    host.crash('s1');
    await browser.stop();
    expect(await browser.ended).toMatchObject({ expected: false });
    await expect(tab.title()).rejects.toThrow(TabError);
    await expect(host.launch(wanted)).resolves.toMatchObject({ sessionId: 's1' });
  });
});

describe('a simulated host', () => {
  test('refuses a second browser of the same name, and any after close', async () => {
    const host = createSimulatedHost();
    const browser = await host.launch(wanted);
    await expect(host.launch(wanted)).rejects.toThrow('running already');
    await host.close();
    expect(await browser.ended).toMatchObject({ expected: true });
    await expect(host.launch(wanted)).rejects.toThrow('closed');
  });

  test('fails to launch when told to', async () => {
    await expect(createSimulatedHost({ launchFailure: 'no room' }).launch(wanted)).rejects.toThrow('no room');
  });
});
