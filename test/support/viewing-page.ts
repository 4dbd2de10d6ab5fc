import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, type FrameLocator, type Page, chromium } from 'playwright-core';
import { findChromium } from '#browsers/launch/find-chromium.ts';

/** A user's browser with a page of another origin that embeds live views. */
export interface ViewingBrowser {
  /** Opens a page that embeds the live view at a URL. */
  embed(liveUrl: string, options?: BrowserContextOptions): Promise<EmbeddedView>;
  /** Opens the live view directly, without a frame. */
  open(liveUrl: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** A live view in a frame. */
export interface EmbeddedView {
  readonly page: Page;
  readonly view: FrameLocator;
  /**
   * Converts a point of the watched page to the point of the viewer's window where it is shown. `width` is the width of
   * the watched page in CSS pixels.
   */
  at(x: number, y: number, width: number): Promise<{ x: number; y: number }>;
}

/** Starts the user's browser with the same Chromium that the service uses. */
export async function startViewingBrowser(): Promise<ViewingBrowser> {
  const { path, environment } = await findChromium();
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox'],
    env: { ...process.env, ...environment },
  });
  const embedding = await startEmbeddingServer();
  return {
    async embed(liveUrl, options = { viewport: { width: 1000, height: 700 } }) {
      const page = await newPage(browser, options);
      // The host name differs from the view's IP address, so page and view are different sites and share no data.
      await page.goto(`http://localhost:${embedding.port}/?view=${encodeURIComponent(liveUrl)}`);
      const view = page.frameLocator('iframe');
      return {
        page,
        view,
        async at(x, y, width) {
          const box = await view.locator('#picture').boundingBox();
          if (box === null) throw new Error('the view shows no picture');
          return { x: box.x + (x * box.width) / width, y: box.y + (y * box.width) / width };
        },
      };
    },
    async open(liveUrl, options = {}) {
      const page = await newPage(browser, options);
      await page.goto(liveUrl);
      return page;
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => embedding.server.close(resolve));
    },
  };
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}

async function startEmbeddingServer(): Promise<{ server: Server; port: number }> {
  const server = createServer(({ url = '/' }, response) => {
    const view = new URL(url, 'http://localhost').searchParams.get('view') ?? '';
    response.setHeader('content-type', 'text/html');
    response.end(`<h1>A page of a customer</h1><iframe src="${view}" style="width:900px;height:560px"></iframe>`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
