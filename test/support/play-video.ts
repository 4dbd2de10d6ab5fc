import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '#browsers/launch/find-chromium.ts';

/** Properties of a video as a browser plays it. */
export interface Played {
  /** Duration in seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  /**
   * Colours in the centre of the video over time. Each is replaced by the nearest colour of `plain`; equal colours in
   * succession are listed once.
   */
  readonly colours: readonly string[];
}

/** A Chromium that plays videos. */
export interface VideoPlayer {
  /**
   * Plays a video to its end, and reads its centre every tenth of a second, or at about fifty times if it is longer
   * than five seconds. Rejects for a video that cannot be played.
   */
  play(address: string): Promise<Played>;
  close(): Promise<void>;
}

const plain = {
  white: [255, 255, 255],
  black: [0, 0, 0],
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
} as const;

function nearest(pixel: readonly number[]): string {
  const distance = (of: readonly number[]): number =>
    of.reduce((sum, part, index) => sum + Math.abs(part - (pixel[index] ?? 0)), 0);
  return Object.entries(plain).reduce(
    (best, one) => (distance(one[1]) < distance(best[1]) ? one : best),
    ['white', plain.white],
  )[0];
}

/** Starts a video player. */
export async function startVideoPlayer(): Promise<VideoPlayer> {
  const { path, environment } = await findChromium();
  const browser: Browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
    env: { ...process.env, ...environment },
  });
  const context = await browser.newContext();
  return {
    async play(address) {
      const page = await context.newPage();
      try {
        // Opens a page on the video's origin, because a page cannot read pixels of a video from another origin.
        const player = new URL('/player', address).href;
        await page.route(player, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
        await page.goto(player);
        const { pixels, ...played } = await page.evaluate(playInPage, address);
        const colours = pixels.map(nearest);
        return { ...played, colours: colours.filter((colour, index) => colour !== colours[index - 1]) };
      } finally {
        await page.close();
      }
    },
    close: () => browser.close(),
  };
}

interface Video {
  src: string;
  muted: boolean;
  playbackRate: number;
  currentTime: number;
  readonly duration: number;
  readonly videoWidth: number;
  readonly videoHeight: number;
  readonly error: { readonly message: string } | null;
  play(): Promise<void>;
  addEventListener(type: string, listener: () => void, options: { once: true }): void;
}

interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): {
    drawImage(image: Video, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: ArrayLike<number> };
  };
}

interface PageScope {
  readonly document: { createElement(name: 'video'): Video; createElement(name: 'canvas'): Canvas };
}

/** Runs in the page: plays a video and returns its properties and the colours of its centre. */
async function playInPage(address: string): Promise<Omit<Played, 'colours'> & { readonly pixels: number[][] }> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is a page's own world, which has no types here
  const scope = globalThis as unknown as PageScope;
  const video = scope.document.createElement('video');
  const seen = (type: string): Promise<void> =>
    new Promise((resolve, reject) => {
      video.addEventListener(type, resolve, { once: true });
      video.addEventListener('error', () => reject(new Error(`${type}: ${video.error?.message}`)), { once: true });
    });
  video.muted = true;
  const loaded = seen('loadeddata');
  video.src = address;
  await loaded;
  const ended = seen('ended');
  video.playbackRate = 16;
  await video.play();
  await ended;
  const canvas = scope.document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  const context = canvas.getContext('2d');
  const pixels: number[][] = [];
  const step = Math.max(0.1, video.duration / 50);
  for (let place = 0; place < video.duration; place += step) {
    const sought = seen('seeked');
    video.currentTime = place;
    await sought;
    context.drawImage(video, 0, 0);
    pixels.push(Array.from(context.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data));
  }
  return { duration: video.duration, width: video.videoWidth, height: video.videoHeight, pixels };
}
