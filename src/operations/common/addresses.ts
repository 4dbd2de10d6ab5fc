import type { Selectable } from 'kysely';
import { type UrlSigner, formPath } from '#lib/signed-url.ts';
import type { AccessTokens, TokenRow } from '#lib/vault.ts';
import type { ShareTable } from '#store/schema.ts';
import type { RecordingRow } from '#store/queries/recordings.ts';

/** Makes the addresses that answers carry; each starts with the public address of the service. */
export interface Addresses {
  /** Where the browser of a row can be watched. It is at its owner, where that is known. */
  live(row: OwnedRow): string;
  /** The DevTools address of a standalone browser: a websocket address. It is at its owner as well. */
  cdp(row: OwnedRow): string;
  /** The DevTools address of a token at this process. */
  cdpHere(token: string): string;
  /** Returns a new presigned URL of a stored screenshot, or null without one. */
  screenshot(key: string | null): string | null;
  /** A new presigned address that takes the bytes of an open upload. */
  upload(id: string): string;
  /** A new form that takes the bytes of an open upload: its address and the signed fields to repeat in it. */
  uploadForm(id: string, contentType: string): { url: string; fields: Record<string, string> };
  /** A new presigned address of a stored file. */
  file(id: string): string;
  /** A new presigned address of what a browser has downloaded. */
  download(id: string): string;
  /** A new presigned address of a recording. */
  recording(id: string): string;
  /** A new presigned address of a task's log. */
  taskLog(runId: string): string;
  /** The page of a session that is shared, and the unguessable part of its address. */
  share(row: Pick<Selectable<ShareTable>, 'session_id' | 'sealed_tokens'>): {
    readonly token: string;
    readonly url: string;
  };
  /** An operation of this interface, for example `/api/v4/runs`. */
  api(path: string): string;
}

/** A row with access tokens that one process owns. */
export interface OwnedRow extends TokenRow {
  readonly owner_url: string | null;
}

/** How long presigned addresses open, in milliseconds (contract section 8; companion 10 M5 and M7; decision 12). */
export interface AddressLifetimes {
  readonly screenshotMs: number;
  readonly uploadMs: number;
  readonly formMs: number;
  readonly fileMs: number;
  readonly taskLogMs: number;
  readonly downloadMs: number;
  readonly recordingMs: number;
}

/** Everything addresses are made of. */
export interface AddressDeps {
  /** Without a slash at its end; asked for on each use, because a free port is known only after listening. */
  readonly publicUrl: () => string;
  readonly signer: UrlSigner;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly now: () => number;
  readonly lifetimes: AddressLifetimes;
}

/** Addresses below `publicUrl`. */
export function createAddresses({ publicUrl, signer, tokens, now, lifetimes }: AddressDeps): Addresses {
  const signed = (path: string, lifetimeMs: number): string =>
    `${publicUrl()}${path}?${signer.sign(path, now() + lifetimeMs)}`;
  return {
    live: (row) => `${row.owner_url ?? publicUrl()}/live/${tokens.read(row, 'live')}`,
    cdp: (row) => cdpAt(row.owner_url ?? publicUrl(), tokens.read(row, 'cdp')),
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
    share({ session_id: id, sealed_tokens }) {
      const token = tokens.read({ id, sealed_tokens }, 'share');
      return { token, url: `${publicUrl()}/share/${token}` };
    },
    api: (path) => `${publicUrl()}${path}`,
  };
}

function cdpAt(base: string, token: string): string {
  return `${base.replace(/^http/, 'ws')}/devtools/browser/${token}`;
}

/** New presigned addresses of the recordings that can be seen, oldest first. */
export function recordingAddresses(
  recordings: readonly RecordingRow[],
  addresses: Pick<Addresses, 'recording'>,
): string[] {
  return recordings.filter(({ status }) => status === 'ready').map(({ id }) => addresses.recording(id));
}
