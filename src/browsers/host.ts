import type { DownloadClaim, DownloadRules, DownloadTaker, FinishedDownload } from './downloads/downloads.ts';
import type { CustomProxy } from './egress/proxy-file.ts';
import type { BrowserBounds } from './isolation/warden.ts';
import type { SandboxReport } from './isolation/sandbox-report.ts';
import type { LiveSeat, LiveViewer } from './live/live-viewer.ts';
import type { CdpClient, CdpListener } from './pipe/cdp-client.ts';
import type { BrowserProfile } from './profile/browser-profile.ts';
import type { Tab } from './tab/tab.ts';

export type { LivePicture, LiveSeat, LiveViewer } from './live/live-viewer.ts';

export type { DownloadClaim, DownloadTaker, DownloadedFile } from './downloads/downloads.ts';

/** What one browser is started with. Sizes are in CSS pixels. */
export interface LaunchOptions {
  /** Names the browser's own folder and log lines; unique among living browsers. */
  readonly sessionId: string;
  /** What it is for: a session with its agent, or a browser that clients drive. @defaultValue a session */
  readonly use?: 'session' | 'browser';
  /** Window size; width 320-6144, height 320-3456, both included (companion 6.2). */
  readonly screen: { readonly width: number; readonly height: number };
  /** Two-letter code of the country that the browser leaves from and stands in, or null for no managed proxy (contract 2, ProxyCountryCode). */
  readonly proxyCountryCode: string | null;
  /** Takes the place of the managed proxy. @defaultValue none */
  readonly customProxy?: CustomProxy | null;
  /** Whether a page shows PDF files in its tab, where the Chromium can. @defaultValue true */
  readonly showsPdf?: boolean;
  /** Whether clients may resize the window. @defaultValue true */
  readonly allowsResizing?: boolean;
  /** Download limits and the receiver of files. @defaultValue no downloads */
  readonly downloads?: DownloadRules;
  /** Called once when the browser answers, before its pages can be driven. @defaultValue only `launch` tells */
  readonly answered?: () => void;
  /**
   * Deadline in milliseconds for admission: `launch` rejects with HostBusy when the start is not admitted in time, and
   * at once when the queue is full.
   * @defaultValue no deadline
   */
  readonly startsWithinMs?: number;
  /**
   * Profile that the browser loads at its start and saves at its end.
   * @defaultValue a clean browser without saved state
   */
  readonly profile?: BrowserProfile | null;
  /**
   * Aborted when the browser is not needed any more: a waiting start is cancelled, and `launch` rejects with the
   * signal's reason.
   */
  readonly signal?: AbortSignal;
}

/** Why a browser is gone. `expected` is true only when `stop` or the host's `close` asked for it. */
export interface BrowserEnd {
  readonly expected: boolean;
  readonly detail: string;
}

/** Files in a folder that the browser can read and cannot write to; it goes with the browser. */
export interface BrowserUploads {
  /** Returns the absolute path of a file, or null for an unknown name. */
  pathOf(name: string): string | null;
  /** Puts a file there; one of the same name is replaced. The name is one path part. Without effect when the browser has gone. */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
}

/** A running browser, owned by its launcher until `stop`. */
export interface HostedBrowser {
  readonly sessionId: string;
  /** Resolves when its processes have ended and completed downloads were taken. Never rejects. */
  readonly died: Promise<BrowserEnd>;
  /** Settles once, after `died`, when what it had has been kept and removed; never rejects. */
  readonly ended: Promise<BrowserEnd>;
  /** Absolute path of the one folder that downloads may go to; it goes with the browser. */
  readonly downloadFolder: string;
  /** Whether clients may resize its window. */
  readonly allowsResizing: boolean;
  /** Returns completed downloads that no taker has taken (see `DownloadRules.keep`), oldest first. */
  downloads(): readonly FinishedDownload[];
  /** Files that DevTools clients may set file inputs to. */
  readonly uploads: BrowserUploads;
  /** Joins a DevTools client with a root session of its own; rejects when the browser has ended. */
  attach(listener: CdpListener): Promise<CdpClient>;
  /**
   * The foreground tab, for a task; a new one is opened when none is left. Its steps are cancelled, and reject with the signal's reason,
   * when that aborts. @defaultValue nothing cancels them
   */
  tab(task?: AbortSignal): Promise<Tab>;
  /**
   * Ends what a task has started in the pages: of a cancelled one, steps, navigations, dialogs and new tabs; of every one, what was said
   * of dialogs. A page that does not answer is closed. Settles when nothing of it is pending; rejects when the browser does not let go.
   */
  endTask(isCancelled: boolean): Promise<void>;
  /**
   * From now on pages come only from addresses that the rule allows, null for all: a page that is elsewhere is left, and a step
   * that would lead elsewhere rejects with a TabError before anything is asked for there. Settles when that holds.
   */
  confine(mayShow: ((address: string) => boolean) | null): Promise<void>;
  /** From now on what pages begin to download goes to the taker, until its claim is stopped. */
  takeDownloads(taker: DownloadTaker): DownloadClaim;
  /** A JPEG of the foreground tab; rejects after 10 s, for example while a dialog blocks the page, and when the signal aborts. */
  screenshot(task?: AbortSignal): Promise<Uint8Array>;
  /** Shows the tab in front to a viewer until it leaves its seat; rejects when the browser has ended. */
  watch(viewer: LiveViewer): Promise<LiveSeat>;
  /**
   * Bytes that crossed the managed proxy for pages of this browser so far: none without a country and where a custom proxy took its
   * place. Chromium's own traffic is not counted.
   */
  trafficBytes(): number;
  /** Ends the browser, lets its profile be kept and removes its folder; idempotent. */
  stop(): Promise<void>;
}

/** What a host is doing. */
export interface HostFigures {
  readonly running: number;
  /** Browsers that wait for their turn to start. */
  readonly waiting: number;
  /** Browsers that are kept ready. */
  readonly ready: number;
}

/** What a host is doing, and what really holds its browsers. Sizes are in bytes. */
export interface HostReport extends HostFigures {
  readonly isolation: SandboxReport & {
    /** What one browser may take, and how that is seen; null where nothing is bounded. */
    readonly bounds: (BrowserBounds & { readonly by: 'polling' }) | null;
  };
}

/** Starts browsers. `local` spawns Chromium; `simulated` pretends, for the stateful mock and for fast tests; `none` starts none. */
export interface BrowserHost {
  readonly kind: 'local' | 'simulated' | 'none';
  /** Starts one browser; rejects with a message that says what was tried when it cannot start. */
  launch(options: LaunchOptions): Promise<HostedBrowser>;
  /** What it is doing now. */
  figures(): HostFigures;
  /** Looks at itself; starts a browser to look at when none has been started. Rejects when none can be. Absent where nothing runs. */
  inspect?(): Promise<HostReport>;
  /**
   * Keeps what browsers with a profile left whose service was killed, and removes their folders; to be called before the first
   * launch. Null for a profile that is no more. What cannot be kept is logged.
   */
  rescue(profileOf: (profileId: string) => Promise<BrowserProfile | null>): Promise<void>;
  /** Opens an encoder for frames of its browsers; the caller closes it. Rejects when none is available. */
  openEncoder(size: FrameSize): Promise<FrameEncoder>;
  /** Ends every browser of this host and everything it started. */
  close(): Promise<void>;
}

const reason = 'This process runs no browsers: another one of its service does.';

/** No host: of a process that only answers requests. */
export function createAbsentHost(): BrowserHost {
  return {
    kind: 'none',
    launch: async () => Promise.reject(new Error(reason)),
    figures: () => ({ running: 0, waiting: 0, ready: 0 }),
    rescue: async () => undefined,
    openEncoder: async () => Promise.reject(new Error(reason)),
    close: async () => undefined,
  };
}

/** Width and height of a video in pixels, 2 to 16,383 included, both even. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** One picture of a video, encoded with VP8. */
export interface EncodedFrame {
  readonly data: Uint8Array;
  /** Whether it can be shown without the pictures before it. */
  readonly isKey: boolean;
  /** Its place in the video, in whole milliseconds from 0. */
  readonly timeMs: number;
}

/** When a picture is shown, and whether the video can be entered there. */
export interface FramePlace {
  readonly timeMs: number;
  readonly isKey: boolean;
}

/** Makes a video of pictures, one by one. Nothing but its owner can reach it. */
export interface FrameEncoder {
  /**
   * Encodes a JPEG, fitted into the video's size with its own proportions. Rejects when the picture cannot be read, or the encoder
   * has ended: then another one goes on with a key frame.
   */
  encode(jpeg: Uint8Array, place: FramePlace): Promise<EncodedFrame[]>;
  /** Ends it; idempotent, and without effect on one that has ended by itself. */
  close(): Promise<void>;
}
