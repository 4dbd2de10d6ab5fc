import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createLocalHost, type LocalHost } from './local-host.ts';
import type { LocalBrowser } from './local-browser.ts';
import type { FolderOwner } from './launch/folder-owner.ts';
import { processMark, waitForEnd } from './isolation/process-table.ts';
import { createTestViewer } from './testing/test-viewer.ts';
import { createRecordingLog, type RecordingLog } from './testing/recording-log.ts';
import { type PageServer, servePages } from './testing/serve-pages.ts';

const pages = {
  '/': `<title>Shop</title><h1>Fruit</h1><h2> Today </h2><a href="/more">More about us</a><a href="/popup" target="_blank">Open window</a>
    <label>Search <input id="q"></label><button onclick="document.title='Found '+document.getElementById('q').value">Find</button>
    <table><caption>Prices</caption><tr><th>Name</th><th>Price</th></tr><tr><td>Apple</td><td>1.20</td></tr></table>
    <p hidden>secret</p><p>Fresh every day</p>`,
  '/more': '<title>More</title><h1>About</h1><button onclick="alert(1);document.title=\'After\'">Warn</button>',
  '/popup': '<title>Popup</title><button onclick="window.close()">Close</button>',
  '/leave': '<title>Leave</title><form action="/held" method="post"><input placeholder="Name"></form>',
  '/cookie': '<title>none</title><script>document.title=document.cookie||"none"; document.cookie="who=me"</script>',
  '/busy': '<title>Busy</title><button onclick="setTimeout(() => { for (;;) {} }, 0)">Spin</button>',
  '/rtc': `<title>wait</title><script>
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:192.0.2.1' }] }); peer.createDataChannel('x'); let n = 0;
    peer.onicecandidate = ({ candidate }) => { if (candidate && candidate.candidate) n += 1; };
    peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') document.body.innerHTML = '<button>candidates ' + n + '</button>'; };
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    </script><body></body>`,
};
const screen = { width: 1280, height: 800 };

let directory: string;
let server: PageServer;
let log: RecordingLog;
let host: LocalHost;
let sessions = 0;

function launch(on: LocalHost = host): Promise<LocalBrowser> {
  sessions += 1;
  return on.launch({ sessionId: `session-${sessions}`, screen: screen, proxyCountryCode: 'us' });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-host-'));
  server = await servePages(pages);
  log = createRecordingLog();
  host = await createLocalHost({ directory, log, allow: [server.host] });
});
afterAll(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

describe('a local browser', () => {
  test('that dies while it is being connected to is given up at once, with everything that it had', async () => {
    const killed = host.launch({
      sessionId: 'short-lived',
      screen: screen,
      proxyCountryCode: null,
      answered: () => {
        const owner = JSON.parse(readFileSync(join(directory, 'short-lived', 'owner.json'), 'utf8')) as FolderOwner;
        process.kill(-(owner.browser?.pid ?? 0), 'SIGKILL');
      },
    });
    // The message depends on which wait notices the end of the browser first.
    await expect(killed).rejects.toThrow(/did not come up|had just been started|ended|debugging pipe/);
    expect(await readdir(directory)).not.toContain('short-lived');
  });

  test('opens, reads, clicks, types and presses', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/`);
    expect(await tab.url()).toBe(`${server.origin}/`);
    expect(await tab.title()).toBe('Shop');
    expect(await tab.headings()).toEqual(['Fruit', 'Today']);
    expect(await tab.links()).toEqual([
      { text: 'More about us', url: `${server.origin}/more` },
      { text: 'Open window', url: `${server.origin}/popup` },
    ]);
    expect(await tab.tables()).toEqual([{ caption: 'Prices', header: ['Name', 'Price'], rows: [['Apple', '1.20']] }]);
    const text = await tab.text();
    expect(text).toContain('Fresh every day');
    expect(text).not.toContain('secret');
    await tab.type('Search', 'pear');
    await tab.press('Tab');
    await tab.press('Enter');
    expect(await tab.title()).toBe('Found pear');
    await tab.click('More');
    expect(await tab.title()).toBe('More');
    expect(browser.trafficBytes()).toBeGreaterThan(pages['/'].length);
    await browser.stop();
  });

  test('dismisses dialogs, so that the click that caused one goes on', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/more`);
    await tab.click('Warn');
    expect(await tab.title()).toBe('After');
    await browser.stop();
  });

  test('waits for the page that a key press leads to', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/leave`);
    await tab.type('Name', 'x');
    const pressing = tab.press('Enter').then(() => tab.title());
    // The key has caused a request that the server has not answered: a step that does not wait would return the title
    // of the old page.
    const early = await Promise.race([pressing, server.heldArrived().then(() => 'still on its way')]);
    await server.answerHeld('Held');
    expect([early, await pressing]).toEqual(['still on its way', 'Held']);
    await browser.stop();
  });

  test('follows a popup to the front and back again when it closes', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/`);
    await tab.click('Open window');
    expect(await tab.title()).toBe('Popup');
    await tab.click('Close');
    expect(await tab.title()).toBe('Shop');
    await browser.stop();
  });

  test('opens a new tab when none is left', async () => {
    const browser = await launch();
    await (await browser.tab()).open(`${server.origin}/popup`);
    const { targetInfos } = await browser.mux.command('Target.getTargets');
    const targets = (targetInfos as JsonObject[]).filter(({ type }) => type === 'page');
    for (const { targetId = null } of targets) await browser.mux.command('Target.closeTarget', { targetId });
    const blank = async (): Promise<string> => (await browser.tab()).url().catch((error: unknown) => String(error));
    // The browser's reply says that it is closing the tab; Playwright learns later that the tab is closed.
    await expect.poll(blank).toBe('about:blank');
    const tab = await browser.tab();
    await tab.open(`${server.origin}/`);
    expect(await tab.title()).toBe('Shop');
    await browser.stop();
  });

  test('gives a JPEG screenshot and live frames to several viewers', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/`);
    const shot = await browser.screenshot();
    expect([...shot.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(shot.length).toBeGreaterThan(2_000);
    expect(shot.length).toBeLessThan(1_000_000);

    const frames = { first: 0, second: 0 };
    let painted = Promise.withResolvers<void>();
    const first = await browser.watch(createTestViewer({ picture: () => void (frames.first += 1) }));
    const second = await browser.watch(
      createTestViewer({
        picture() {
          frames.second += 1;
          painted.resolve();
        },
      }),
    );
    await painted.promise;
    expect(frames.first).toBeGreaterThan(0);
    await first.leave();
    const before = frames.first;
    painted = Promise.withResolvers();
    await tab.open(`${server.origin}/more`);
    await painted.promise;
    expect(frames.first).toBe(before);
    await second.leave();
    await browser.stop();
  });

  test('names what was asked for and why it failed', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await expect(tab.open('file:///etc/passwd')).rejects.toThrow('Addresses of the kind file: cannot be opened.');
    await expect(tab.open('chrome://version')).rejects.toMatchObject({ name: 'TabError' });
    await expect(tab.open('http://nobody.invalid/')).rejects.toThrow(
      'nobody.invalid is unknown or not part of the public internet',
    );
    await expect(tab.open('https://nobody.invalid/')).rejects.toThrow(
      'nobody.invalid is unknown or not part of the public internet',
    );
    await browser.stop();
  });

  test('reaches a loopback address only when it is allowed', async () => {
    const forbidden = await servePages(pages);
    const browser = await launch();
    const tab = await browser.tab();
    await expect(tab.open(`${forbidden.origin}/`)).rejects.toThrow('127.0.0.1, which is loopback');
    await expect(tab.open(`http://localhost:${new URL(forbidden.origin).port}/`)).rejects.toThrow('which is loopback');
    await browser.stop();
    await forbidden.close();
  });

  test('gathers no WebRTC candidates, which would betray the addresses of this machine', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/rtc`);
    // Candidate gathering completes by itself when no STUN server answers.
    await tab.click('candidates');
    expect(await tab.text()).toContain('candidates 0');
    await browser.stop();
  });

  test('shares nothing with another browser', async () => {
    const [one, other] = await Promise.all([launch(), launch()]);
    const [tabOfOne, tabOfOther] = await Promise.all([one.tab(), other.tab()]);
    await tabOfOne.open(`${server.origin}/cookie`);
    await tabOfOne.open(`${server.origin}/cookie`);
    expect(await tabOfOne.title()).toBe('who=me');
    await tabOfOther.open(`${server.origin}/cookie`);
    expect(await tabOfOther.title()).toBe('none');
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe('the end of a local browser', () => {
  test('stop leaves no process and no folder, and may be called twice', async () => {
    const browser = await launch();
    const mark = await processMark(browser.pid);
    await Promise.all([browser.stop(), browser.stop()]);
    expect(await browser.ended).toMatchObject({ expected: true });
    expect(await processMark(browser.pid)).not.toEqual(mark);
    expect(await readdir(directory)).not.toContain(browser.sessionId);
    await browser.stop();
  });

  test('a killed browser ends unexpectedly and leaves no folder', async () => {
    const browser = await launch();
    process.kill(browser.pid, 'SIGKILL');
    expect(await browser.ended).toEqual({ expected: false, detail: 'Chromium was ended by SIGKILL.' });
    expect(await readdir(directory)).not.toContain(browser.sessionId);
    await expect(browser.tab().then((tab) => tab.title())).rejects.toMatchObject({ name: 'TabError' });
    await expect(browser.screenshot()).rejects.toThrow('has been closed');
    await browser.stop();
  });

  test('a browser whose page never answers can still be stopped', async () => {
    const browser = await launch();
    const tab = await browser.tab();
    await tab.open(`${server.origin}/busy`);
    const clicking = tab.click('Spin');
    await Promise.all([expect(clicking).rejects.toMatchObject({ name: 'TabError' }), browser.stop()]);
    expect(await browser.ended).toMatchObject({ expected: true });
  });

  test('close ends every browser and refuses further ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-host-'));
    const own = await createLocalHost({ directory: folder, log });
    const browsers = [await launch(own), await launch(own)];
    await own.close();
    for (const browser of browsers) expect(await browser.ended).toMatchObject({ expected: true });
    expect(await readdir(folder)).toEqual([]);
    await expect(launch(own)).rejects.toThrow('This browser host is closed.');
    await rm(folder, { recursive: true });
  });

  test('Chromium ends with the service, and the next service removes the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-host-'));
    const script = `
      import { createLocalHost } from ${JSON.stringify(new URL('./local-host.ts', import.meta.url).href)};
      const log = { info() {}, warn() {} };
      const host = await createLocalHost({ directory: ${JSON.stringify(folder)}, log });
      const browser = await host.launch({ sessionId: 'left', screen: { width: 800, height: 600 }, proxyCountryCode: null });
      console.log(browser.pid);
      setInterval(() => undefined, 60_000);`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(createInterface(service.stdout), 'line');
    const mark = await processMark(Number(pid));
    expect(mark).not.toBeNull();
    service.kill('SIGKILL');
    await once(service, 'exit');
    if (mark !== null) await waitForEnd(mark, 20_000);
    expect(await readdir(folder)).toEqual(['left']);
    const next = await createLocalHost({ directory: folder, log });
    expect(await readdir(folder)).toEqual([]);
    await next.close();
    await rm(folder, { recursive: true });
  });
});

describe('a launch that fails', () => {
  test('says what was tried, leaves nothing behind, and does not poison the next launch', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-host-'));
    const own = await createLocalHost({
      directory: folder,
      log,
      find: async () => ({ path: '/bin/false', environment: {}, source: 'installed' }),
    });
    await expect(launch(own)).rejects.toThrow('Chromium at /bin/false does not start. Tried');
    expect(await readdir(folder)).toEqual([]);
    await own.close();
    await rm(folder, { recursive: true });
  });

  test('refuses a session id that is running already or is no plain name', async () => {
    const browser = await host.launch({ sessionId: 'twice', screen: screen, proxyCountryCode: null });
    const again = { sessionId: 'twice', screen: screen, proxyCountryCode: null };
    await expect(host.launch(again)).rejects.toThrow('A browser named twice is running already.');
    await browser.stop();
    const odd = { sessionId: '../odd', screen: screen, proxyCountryCode: null };
    await expect(host.launch(odd)).rejects.toThrow('is not 1-80 letters, digits, _ or -');
  });
});
