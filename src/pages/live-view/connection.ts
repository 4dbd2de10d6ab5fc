import type { LiveReport, LiveWish } from '#contract/live-messages.ts';

/**
 * State of the connection. `lost` and `gone` (the browser does not exist at the moment) are followed by another
 * attempt, or by `ended` if the live view has ended; `ended` is final.
 */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'gone' | 'ended';

/** Receiver of messages and state changes. */
export interface ConnectionListener {
  report(report: LiveReport): void;
  picture(message: ArrayBuffer): void;
  state(state: ConnectionState): void;
}

/** The connection to the live view, which is restored after a loss. */
export interface Connection {
  /** Sends a message; without a connection the message is lost. */
  send(wish: LiveWish): void;
}

/** Maximum silence in milliseconds: the service sends a message at least every 15 s. */
const silenceMaxMs = 40_000;
const watchIntervalMs = 5_000;
/** Interval of attempts in milliseconds while the browser does not exist, because the next task may start a browser. */
const goneIntervalMs = 2_000;

/** Connects to the live view at the URL of this page. */
export function connect(listener: ConnectionListener): Connection {
  let socket: WebSocket | null = null;
  let [failures, heardAt, isGone] = [0, 0, false];
  let timer: number | undefined;

  const open = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const opened = new WebSocket(socketAddress());
    socket = opened;
    opened.binaryType = 'arraybuffer';
    heardAt = Date.now();
    opened.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket !== opened) return;
      heardAt = Date.now();
      failures = 0;
      if (typeof data !== 'string') return listener.picture(data);
      const report: LiveReport = JSON.parse(data);
      isGone = report.type === 'gone';
      if (report.type === 'scene') listener.state('open');
      listener.report(report);
    });
    opened.addEventListener('close', () => socket === opened && void again());
  };
  const again = async (): Promise<void> => {
    socket = null;
    failures += 1;
    listener.state(isGone ? 'gone' : 'lost');
    if (await hasEnded()) return listener.state('ended');
    timer = window.setTimeout(open, isGone ? goneIntervalMs : backOff(failures));
  };
  const retryNow = (): void => {
    if (timer !== undefined && !document.hidden) open();
  };
  window.addEventListener('online', retryNow);
  document.addEventListener('visibilitychange', retryNow);
  window.setInterval(() => {
    if (socket === null || Date.now() - heardAt < silenceMaxMs) return;
    // A lost network is silent: without this check the last frame would stay forever.
    socket.close();
    void again();
  }, watchIntervalMs);
  open();
  return {
    send(wish) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(wish));
    },
  };
}

/** Time in milliseconds after which a request without an answer counts as unanswered. */
const answerMaxMs = 5_000;

/**
 * Returns whether the live view has ended. A refused websocket gives no reason, but a request to the URL of the page
 * does: status 404 means the end. False without an answer.
 */
async function hasEnded(): Promise<boolean> {
  try {
    const { status } = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(answerMaxMs) });
    return status === 404;
  } catch {
    // Without a network the state is unknown.
    return false;
  }
}

function socketAddress(): string {
  const address = new URL(location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  address.pathname = `${address.pathname.replace(/\/$/, '')}/socket`;
  address.hash = '';
  return address.href;
}

const firstMs = 500;
const longestMs = 8_000;

/**
 * Returns the delay in ms before the next attempt, by the number of consecutive failures. It doubles from half a second
 * to eight seconds.
 */
export function backOff(failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}
