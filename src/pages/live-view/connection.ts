import type { LiveReport, LiveWish } from '#contract/live-messages.ts';

/** How the connection is. `lost`: another try follows; `gone`: there is no browser now, another try follows; `ended`: for good. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'gone' | 'ended';

/** Who is told what comes. */
export interface ConnectionListener {
  report(report: LiveReport): void;
  picture(message: ArrayBuffer): void;
  state(state: ConnectionState): void;
}

/** The connection to the live view, which is made again whenever it is lost. */
export interface Connection {
  /** Sends a wish; what is sent while there is no connection is lost. */
  send(wish: LiveWish): void;
}

/** The service speaks at least every 15 s. */
const SILENCE_MAX_MS = 40_000;
const WATCH_INTERVAL_MS = 5_000;
/** A session without a browser now may have one again with its next task. */
const GONE_INTERVAL_MS = 2_000;

/** Connects to the live view of this page's own address. */
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
    timer = window.setTimeout(open, isGone ? GONE_INTERVAL_MS : backOff(failures));
  };
  const retryNow = (): void => {
    if (timer !== undefined && !document.hidden) open();
  };
  window.addEventListener('online', retryNow);
  document.addEventListener('visibilitychange', retryNow);
  window.setInterval(() => {
    if (socket === null || Date.now() - heardAt < SILENCE_MAX_MS) return;
    // A network that has gone says nothing: without this the last picture would stand for ever.
    socket.close();
    void again();
  }, WATCH_INTERVAL_MS);
  open();
  return {
    send(wish) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(wish));
    },
  };
}

/** A websocket that is refused does not say why; the page's own address does. */
async function hasEnded(): Promise<boolean> {
  try {
    const { status } = await fetch(location.href, { cache: 'no-store' });
    return status === 404;
  } catch {
    // No network: nothing is known.
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

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/** Time before the next try after so many failures in a row, in ms: it doubles from half a second up to eight. */
export function backOff(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}
