import type { BrowserContext, JSHandle, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type EncoderBrowser, createEncoderPool } from './encoder-pool.ts';

const size = { width: 16, height: 10 };

/**
 * Creates a simulated encoder browser that counts its open browser contexts. `fails` selects the operation that
 * rejects.
 */
function fakeBrowser(fails: 'page' | 'encoder' | null = null): {
  browser: EncoderBrowser;
  contexts: number;
  stopped: boolean;
  crash(): void;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { contexts: 0, stopped: false };
  const handle: Partial<JSHandle> = {};
  const evaluateHandle = async (): Promise<Partial<JSHandle>> => {
    if (fails === 'encoder') throw new Error('no encoder');
    return handle;
  };
  const openPage = async (): Promise<Page> => {
    if (fails === 'page') throw new Error('no page');
    state.contexts += 1;
    const context: Partial<BrowserContext> = { close: async () => void (state.contexts -= 1) };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the little of a page that the pool touches
    return { context: () => context, evaluateHandle } as unknown as Page;
  };
  const stop = async (): Promise<void> => {
    state.stopped = true;
    resolve();
  };
  return Object.assign(state, { browser: { ended: promise, openPage, stop }, crash: () => resolve() });
}

describe('a pool of encoders', () => {
  it('starts one browser for all, with a context for each, and ends it with the last', async () => {
    const started: ReturnType<typeof fakeBrowser>[] = [];
    const pool = createEncoderPool(async () => (started[started.push(fakeBrowser()) - 1] ?? fakeBrowser()).browser);
    const [first, second] = await Promise.all([pool.open(size), pool.open(size)]);
    expect(started).toMatchObject([{ contexts: 2, stopped: false }]);
    await first.close();
    await first.close();
    expect(started).toMatchObject([{ contexts: 1, stopped: false }]);
    await second.close();
    expect(started).toMatchObject([{ contexts: 0, stopped: true }]);
    await (await pool.open(size)).close();
    expect(started).toHaveLength(2);
  });

  it('starts another browser after an unexpected end', async () => {
    const started: ReturnType<typeof fakeBrowser>[] = [];
    const pool = createEncoderPool(async () => (started[started.push(fakeBrowser()) - 1] ?? fakeBrowser()).browser);
    const orphan = await pool.open(size);
    started[0]?.crash();
    await started[0]?.browser.ended;
    await Promise.resolve();
    const next = await pool.open(size);
    await orphan.close();
    expect(started).toMatchObject([{ stopped: true }, { stopped: false, contexts: 1 }]);
    await next.close();
  });

  it('keeps no browser that did not start, or gives no page', async () => {
    const broken = fakeBrowser('page');
    const starts = [async () => Promise.reject(new Error('no Chromium')), async () => broken.browser];
    const pool = createEncoderPool(async () => (await starts.shift()?.()) ?? fakeBrowser().browser);
    await expect(pool.open(size)).rejects.toThrow('no Chromium');
    await expect(pool.open(size)).rejects.toThrow('no page');
    expect(broken.stopped).toBe(true);
    await (await pool.open(size)).close();
  });

  it('closes the page whose encoder did not open', async () => {
    const shared = fakeBrowser();
    const broken = fakeBrowser('encoder');
    const browsers = [shared.browser, broken.browser];
    const openPage = async (): Promise<Page> => (browsers.shift() ?? shared.browser).openPage();
    const pool = createEncoderPool(async () => ({ ...shared.browser, openPage }));
    const encoder = await pool.open(size);
    await expect(pool.open(size)).rejects.toThrow('no encoder');
    expect([shared, broken]).toMatchObject([{ contexts: 1, stopped: false }, { contexts: 0 }]);
    await encoder.close();
    expect(shared).toMatchObject({ contexts: 0, stopped: true });
  });

  it('ends its browser when it is closed, and opens none any more', async () => {
    const only = fakeBrowser();
    const pool = createEncoderPool(async () => only.browser);
    await pool.open(size);
    await pool.close();
    expect(only.stopped).toBe(true);
    await expect(pool.open(size)).rejects.toThrow('This browser host is closed.');
  });
});
