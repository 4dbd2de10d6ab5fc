import { type UrlSigner, formPath } from '#lib/signed-url.ts';
import type { AccessTokens, TokenRow } from '#lib/vault.ts';
import type { ShareRow } from '#store/queries/shares.ts';
import type { RecordingRow } from '#store/queries/recordings.ts';

/**
 * Functions that create the URLs that responses contain. URLs start with the public URL of the service. URLs of live
 * views and browsers start with the URL of the process that owns the session or browser, if known; `cdpHere` always
 * uses this process.
 */
export interface Addresses {
  /** Returns the URL of the live view of a session or browser, at the process that owns it, if known. */
  live(row: OwnedRow): string;
  /** Returns the websocket URL of a standalone browser for DevTools clients, at the process that owns it, if known. */
  cdp(row: OwnedRow): string;
  /** Returns the websocket URL at which DevTools clients reach the browser of an access token through this process. */
  cdpHere(token: string): string;
  /** Returns a new presigned URL of a stored screenshot, or null without one. */
  screenshot(key: string | null): string | null;
  /** Returns a new presigned URL that receives the bytes of a reserved upload. */
  upload(id: string): string;
  /**
   * Returns a new form for the upload of the bytes of a reserved upload: its URL, and the signed fields that the client
   * must send with the file.
   */
  uploadForm(id: string, contentType: string): { url: string; fields: Record<string, string> };
  /** Returns a new presigned URL of a stored file. */
  file(id: string): string;
  /** Returns a new presigned URL of a browser download. */
  download(id: string): string;
  /** Returns a new presigned URL of a recording. */
  recording(id: string): string;
  /** Returns a new presigned URL of a run's log. */
  taskLog(runId: string): string;
  /** Returns the URL of the share page of a session, and its unguessable token. */
  share(row: Pick<ShareRow, 'sessionId' | 'sealedTokens'>): {
    readonly token: string;
    readonly url: string;
  };
  /** Returns the URL of an API path, for example `/api/v4/runs`. */
  api(path: string): string;
}

/** A row with access tokens and an owner. */
export interface OwnedRow extends TokenRow {
  readonly ownerUrl: string | null;
}

/** Lifetimes of presigned URLs, in milliseconds (contract section 8; companion 10 M5 and M7; decision 12). */
export interface AddressLifetimes {
  readonly screenshotMs: number;
  readonly uploadMs: number;
  readonly formMs: number;
  readonly fileMs: number;
  readonly taskLogMs: number;
  readonly downloadMs: number;
  readonly recordingMs: number;
}

/** Dependencies of {@link createAddresses}. */
export interface AddressDeps {
  /**
   * Returns the public URL without a trailing slash. Read on each use, because a free port is known only after
   * listening.
   */
  readonly publicUrl: () => string;
  readonly signer: UrlSigner;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly now: () => number;
  readonly lifetimes: AddressLifetimes;
}

/**
 * Creates the URL functions of a process. URLs of live views and browsers start with the URL of the owner, if known.
 * All other URLs, and those of `cdpHere`, start with `publicUrl`.
 */
export function createAddresses({ publicUrl, signer, tokens, now, lifetimes }: AddressDeps): Addresses {
  const signed = (path: string, lifetimeMs: number): string =>
    `${publicUrl()}${path}?${signer.sign(path, now() + lifetimeMs)}`;
  return {
    live: (row) => `${row.ownerUrl ?? publicUrl()}/live/${tokens.read(row, 'live')}`,
    cdp: (row) => cdpAt(row.ownerUrl ?? publicUrl(), tokens.read(row, 'cdp')),
    cdpHere: (token) => cdpAt(publicUrl(), token),
    screenshot: (key) => (key === null ? null : signed(`/screenshots/${key}`, lifetimes.screenshotMs)),
    upload: (id) => signed(`/uploads/${id}`, lifetimes.uploadMs),
    uploadForm(id, contentType) {
      const signature = signer.sign(formPath(id, contentType), now() + lifetimes.formMs);
      const fields = { key: id, 'Content-Type': contentType, ...Object.fromEntries(new URLSearchParams(signature)) };
      return { url: `${publicUrl()}/upload-forms`, fields };
    },
    file: (id) => signed(`/files/${id}`, lifetimes.fileMs),
    download: (id) => signed(`/downloads/${id}`, lifetimes.downloadMs),
    recording: (id) => signed(`/recordings/${id}`, lifetimes.recordingMs),
    taskLog: (runId) => signed(`/task-logs/${runId}`, lifetimes.taskLogMs),
    share({ sessionId: id, sealedTokens }) {
      const token = tokens.read({ id, sealedTokens }, 'share');
      return { token, url: `${publicUrl()}/share/${token}` };
    },
    api: (path) => `${publicUrl()}${path}`,
  };
}

function cdpAt(base: string, token: string): string {
  return `${base.replace(/^http/, 'ws')}/devtools/browser/${token}`;
}

/** Returns new presigned URLs of those recordings whose video is stored, in the given order. */
export function recordingAddresses(
  recordings: readonly RecordingRow[],
  addresses: Pick<Addresses, 'recording'>,
): string[] {
  return recordings.filter(({ status }) => status === 'ready').map(({ id }) => addresses.recording(id));
}
