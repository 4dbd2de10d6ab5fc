import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { BrowserEnd, HostedBrowser, LiveViewer } from '#browsers/host.ts';
import { placeholderFrame } from '#browsers/simulated/simulated-tab.ts';
import { createSimulatedEncoder } from '#browsers/simulated/simulated-host.ts';
import { recordBrowser } from './record-browser.ts';
import { finishWebm } from './webm-reader.ts';

const leave = vi.fn<() => Promise<void>>().mockResolvedValue();

const folder = mkdtempSync(join(tmpdir(), 'svc-record-'));
const bounds = { durationMaxMs: 60_000, bytesMax: 1_000_000, sideMax: 1920, frameIntervalMs: 0, keyIntervalMs: 1_000 };
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let files = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a recording of a fake browser whose pictures and end are controlled by the test. */
function recording(mayShow = (): boolean => true) {
  const ended = Promise.withResolvers<BrowserEnd>();
  const stopped = Promise.withResolvers<void>();
  const screenshot = vi.fn<() => Promise<Uint8Array>>().mockResolvedValue(placeholderFrame());
  const viewers: LiveViewer[] = [];
  const watch = async (viewer: LiveViewer) => {
    viewers.push(viewer);
    return { wanted: () => undefined, leave };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the little of a browser that a recording touches
  const browser = { ended: ended.promise, screenshot, watch } as unknown as HostedBrowser;
  const file = join(folder, `${(files += 1)}.webm`);
  const openEncoder = async () => createSimulatedEncoder();
  const done = recordBrowser({ browser, mayShow, file, bounds, log, openEncoder, stopped: stopped.promise });
  leave.mockClear();
  const show = (): void => viewers[0]?.picture({ jpeg: placeholderFrame(), width: 16, height: 10 });
  return { ended, stopped, screenshot, file, done, show };
}

describe('a recording of a browser', () => {
  it('ends with the browser, and leaves it', async () => {
    const one = recording();
    one.show();
    one.ended.resolve({ expected: false, detail: 'it crashed' });
    await one.done;
    expect(await finishWebm(one.file)).toMatchObject({ width: 16, height: 10 });
    expect([leave.mock.calls.length, one.screenshot.mock.calls.length]).toEqual([1, 0]);
  });

  it('takes a last picture when it is stopped, also when it had none before', async () => {
    const one = recording();
    one.stopped.resolve();
    await one.done;
    expect(await finishWebm(one.file)).not.toBeNull();
  });

  it('ends all the same when there is no last picture', async () => {
    const one = recording();
    one.screenshot.mockRejectedValue(new Error('a dialog'));
    one.show();
    one.stopped.resolve();
    await one.done;
    expect(await finishWebm(one.file)).not.toBeNull();
  });

  it('keeps nothing of what is shown once it may not, not even the last picture', async () => {
    let mayShow = false;
    const hidden = recording(() => mayShow);
    hidden.show();
    await hidden.done;
    expect([existsSync(hidden.file), leave.mock.calls.length]).toEqual([false, 1]);
    mayShow = true;
    const late = recording(() => mayShow);
    mayShow = false;
    late.stopped.resolve();
    await late.done;
    expect(existsSync(late.file)).toBe(false);
  });
});
