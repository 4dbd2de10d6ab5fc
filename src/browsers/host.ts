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

/** Options for starting a browser. Sizes are in CSS pixels. */
export interface LaunchOptions {
  /** Name of the browser's folder and of its log lines; unique among running browsers. */
  readonly sessionId: string;
  /** Purpose: a session with its agent, or a standalone browser for clients. @defaultValue a session */
  readonly use?: 'session' | 'browser';
  /** Window size; width 320-6144, height 320-3456, both included (companion 6.2). */
  readonly screen: { readonly width: number; readonly height: number };
  /**
   * Two-letter code of the country whose proxy and location the browser uses; null for no managed proxy (contract 2,
   * ProxyCountryCode).
   */
  readonly proxyCountryCode: string | null;
  /** Proxy of the project in place of the managed proxy. @defaultValue none */
  readonly customProxy?: CustomProxy | null;
  /** Whether pages show PDF files in their tab, if this Chromium can. @defaultValue true */
  readonly showsPdf?: boolean;
  /** Whether clients may resize the window. @defaultValue true */
  readonly allowsResizing?: boolean;
  /** Download limits of the browser, and a receiver for downloaded files. @defaultValue no downloads */
  readonly downloads?: DownloadRules;
  /**
   * Called when the browser has answered its first DevTools command, usually before its pages are ready. Not called
   * when the browser does not answer. @defaultValue no call
   */
  readonly answered?: () => void;
  /**
   * Deadline in milliseconds for admission: `launch` rejects with HostBusy when the start is not admitted in time, and
   * at once when the queue is full.
   * @defaultValue no deadline
   */
  readonly startsWithinMs?: number;
  /**
   * Saved browser state that the browser loads at its start; the state is saved again at the browser's end.
   * @defaultValue a clean browser, whose state is not saved
   */
  readonly profile?: BrowserProfile | null;
  /**
   * Aborted when the browser is not needed any more. A start that still waits for admission leaves the queue, and
   * `launch` rejects with the signal's reason.
   */
  readonly signal?: AbortSignal;
}

/** End of a browser. `expected` is true only after `stop` or the host's `close`. */
export interface BrowserEnd {
  readonly expected: boolean;
  readonly detail: string;
}

/**
 * Files for the file inputs of pages. The browser can read but not change them, and they are removed with the browser.
 */
export interface BrowserUploads {
  /** Returns the absolute path of a stored file, or null for an unknown name. */
  findPath(name: string): string | null;
  /**
   * Stores a file, and replaces a file of the same name. `name` must be a single path segment. Does nothing after the
   * end of the browser.
   */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
}

/** A running browser, owned by its launcher until `stop`. */
export interface HostedBrowser {
  readonly sessionId: string;
  /**
   * Resolves when all processes of the browser have ended and its completed downloads have been handed to their
   * receivers. Never rejects.
   */
  readonly died: Promise<BrowserEnd>;
  /**
   * Resolves after `died`, when saving the profile and removing the folder have been attempted; failures are logged.
   * Never rejects.
   */
  readonly ended: Promise<BrowserEnd>;
  /** Absolute path of the only folder that downloads may go to; removed with the browser. */
  readonly downloadFolder: string;
  /** Whether clients may resize the browser window. */
  readonly allowsResizing: boolean;
  /**
   * Returns completed downloads that no receiver has taken and that `DownloadRules.keep` has not stored, oldest first.
   */
  downloads(): readonly FinishedDownload[];
  /** Files that DevTools clients may use in the file inputs of pages. */
  readonly uploads: BrowserUploads;
  /** Attaches an external DevTools client with a root session of its own; rejects when the browser has ended. */
  attach(listener: CdpListener): Promise<CdpClient>;
  /**
   * Returns the foreground tab for a task; opens a new tab when the browser has none. When `task` aborts, pending steps
   * of the tab reject with the reason of the signal.
   * @defaultValue steps are not cancelled
   */
  tab(task?: AbortSignal): Promise<Tab>;
  /**
   * Ends the effects of a task in the pages. Always discards the task's prepared answers to dialogs. If the task was
   * cancelled or has pending steps, also ends these steps, navigations, dialogs and new tabs. Closes a page that does
   * not respond. Rejects when the browser does not stop this work.
   */
  endTask(isCancelled: boolean): Promise<void>;
  /**
   * Restricts pages to the URLs for which `mayShow` returns true; null removes the restriction. Navigates pages with a
   * forbidden URL to about:blank. A step that would open a forbidden URL rejects with a TabError before a request is
   * sent. Resolves when the restriction applies.
   */
  confine(mayShow: ((address: string) => boolean) | null): Promise<void>;
  /** Passes each download that begins later to `taker`, until the returned claim is stopped. */
  takeDownloads(taker: DownloadTaker): DownloadClaim;
  /**
   * Takes a JPEG of the foreground tab. Rejects after 10 s, for example while a dialog blocks the page, and when the
   * signal aborts.
   */
  screenshot(task?: AbortSignal): Promise<Uint8Array>;
  /** Shows the foreground tab to a viewer until the viewer leaves; rejects when the browser has ended. */
  watch(viewer: LiveViewer): Promise<LiveSeat>;
  /**
   * Returns the traffic for which the project pays: bytes exchanged with servers since `launch` resolved, in both
   * directions. Always 0 without a proxy country or with a custom proxy.
   */
  trafficBytes(): number;
  /** Ends the browser, saves its profile and removes its folder; idempotent. */
  stop(): Promise<void>;
}

/** Numbers of browsers of a host by state. */
export interface HostFigures {
  readonly running: number;
  /** Number of browser starts that wait for admission. */
  readonly waiting: number;
  /** Number of browsers that were started in advance and that no launch has taken yet. */
  readonly ready: number;
}

/** State of a host and the isolation of its browsers. Sizes are in bytes. */
export interface HostReport extends HostFigures {
  readonly isolation: SandboxReport & {
    /** Resource limits of one browser; `by` says that they are enforced by polling. Null without limits. */
    readonly bounds: (BrowserBounds & { readonly by: 'polling' }) | null;
  };
}

/**
 * Starts browsers. `local` starts Chromium; `simulated` imitates Chromium, for the stateful mock and for fast tests;
 * `none` starts no browser.
 */
export interface BrowserHost {
  readonly kind: 'local' | 'simulated' | 'none';
  /**
   * Starts a browser. Rejects with HostBusy when the start is not admitted, with the signal's reason after an abort,
   * and otherwise with an error that describes the failure.
   */
  launch(options: LaunchOptions): Promise<HostedBrowser>;
  /** Returns the current numbers of browsers. */
  figures(): HostFigures;
  /**
   * Reports the state of the host and the isolation of its browsers. The first call may start a browser to probe the
   * sandbox. Rejects when no browser can be started. Absent for hosts without processes.
   */
  inspect?(): Promise<HostReport>;
  /**
   * Saves the profiles of browsers whose service was killed, and then removes their folders. Call it before the first
   * launch. `readProfile` returns null for a deleted profile. Failures to save a profile are logged. Rejects when a
   * profile cannot be read or a folder cannot be removed. The next start of the service then handles the remaining
   * folders.
   */
  rescue(readProfile: (profileId: string) => Promise<BrowserProfile | null>): Promise<void>;
  /**
   * Opens an encoder that makes a video from JPEG frames of this host's browsers; the caller closes the encoder.
   * Rejects when no encoder is available.
   */
  openEncoder(size: FrameSize): Promise<FrameEncoder>;
  /** Ends every browser and every other process of this host. */
  close(): Promise<void>;
}

const reason = 'This process runs no browsers: another one of its service does.';

/** Creates a host that starts no browser: launches and encoders reject. For a process that only answers requests. */
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

/** One frame of a video, encoded with VP8. */
export interface EncodedFrame {
  readonly data: Uint8Array;
  /** Whether the frame can be decoded without earlier frames. */
  readonly isKey: boolean;
  /** Time of the frame in whole milliseconds from the start of the video. */
  readonly timeMs: number;
}

/** Position of a frame in a video, and whether the frame must be a key frame. */
export interface FramePlace {
  readonly timeMs: number;
  readonly isKey: boolean;
}

/** Encoder of the frames of one video. */
export interface FrameEncoder {
  /**
   * Encodes a JPEG as the next frame. A JPEG of another size is scaled to fit and keeps its aspect ratio. Rejects when
   * the JPEG is invalid or the encoder has ended. The caller can then open a new encoder, whose first frame is a key
   * frame.
   */
  encode(jpeg: Uint8Array, place: FramePlace): Promise<EncodedFrame[]>;
  /** Closes the encoder, also when it has already ended. Idempotent. */
  close(): Promise<void>;
}
