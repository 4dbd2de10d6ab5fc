import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { LiveReport, LiveScene, LiveWish } from '#contract/live-messages.ts';
import type { Ending } from './raw-cdp.ts';

/**
 * A live-view client without a page. It records all messages, acknowledges frames, and sends the messages that the test
 * passes to `send`.
 */
export interface TestViewing {
  readonly socket: WebSocket;
  readonly ended: Promise<Ending>;
  readonly reports: readonly LiveReport[];
  /** Numbers of the received frames. */
  readonly pictures: readonly number[];
  /**
   * Resolves to the first matching report, even if the viewer has already received it. Rejects if the connection ends
   * before a report matches.
   */
  report(isWanted: (report: LiveReport) => boolean): Promise<LiveReport>;
  /** The latest scene. */
  scene(): LiveScene | undefined;
  send(wish: LiveWish): void;
  close(): void;
}

/** Options of a viewer. */
export interface ViewingOptions {
  /** True if the client acknowledges each frame at once. @defaultValue true */
  readonly acknowledges?: boolean;
  readonly headers?: Record<string, string>;
}

/** Connects to the live view at a URL; rejects with the status of an error response. */
export async function connectViewer(liveUrl: string, options: ViewingOptions = {}): Promise<TestViewing> {
  const socket = new WebSocket(`${liveUrl.replace(/^http/, 'ws')}/socket`, { headers: options.headers ?? {} });
  const reports: LiveReport[] = [];
  const pictures: number[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  const send = (wish: LiveWish): void => socket.send(JSON.stringify(wish));
  let hear: (() => void)[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      pictures.push(data.readUInt32BE(0));
      if (options.acknowledges !== false) send({ type: 'ack', picture: data.readUInt32BE(0) });
    } else reports.push(JSON.parse(data.toString()) as LiveReport);
    const listeners = hear;
    hear = [];
    for (const listener of listeners) listener();
  });
  socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    socket,
    ended,
    reports,
    pictures,
    async report(isWanted) {
      for (;;) {
        const found = reports.find(isWanted);
        if (found !== undefined) return found;
        const heard = new Promise<void>((next) => hear.push(next));
        const over = ended.then(({ code, reason }) => {
          throw new Error(`connection ended: ${code} ${reason}`);
        });
        await Promise.race([heard, over]);
      }
    },
    scene: () => reports.flatMap((report) => (report.type === 'scene' ? [report.scene] : [])).at(-1),
    send,
    close: () => socket.close(),
  };
}
