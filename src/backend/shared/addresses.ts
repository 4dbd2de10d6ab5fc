import type { AddressSigner } from '../public/signed-address.ts';

/** Makes the addresses that answers carry; each starts with the public address of the service. */
export interface Addresses {
  /** Where a browser can be watched; `token` is the unguessable part. */
  live(token: string): string;
  /** The DevTools address of a standalone browser: a websocket address; `token` is the unguessable part. */
  cdp(token: string): string;
  /** A new presigned address of a stored screenshot, or null when there is none. */
  screenshot(key: string | null): string | null;
  /** An operation of this interface, for example `/api/v4/runs`. */
  api(path: string): string;
}

/** Everything addresses are made of; `screenshotLifetimeMs` is how long a presigned one opens (contract section 8). */
export interface AddressParts {
  /** Without a slash at its end; asked for on each use, because a free port is known only after listening. */
  readonly publicUrl: () => string;
  readonly signer: AddressSigner;
  readonly now: () => number;
  readonly screenshotLifetimeMs: number;
}

/** Addresses below `publicUrl`. */
export function createAddresses({ publicUrl, signer, now, screenshotLifetimeMs }: AddressParts): Addresses {
  return {
    live: (token) => `${publicUrl()}/live/${token}`,
    cdp: (token) => `${publicUrl().replace(/^http/, 'ws')}/devtools/browser/${token}`,
    screenshot(key) {
      if (key === null) return null;
      const path = `/screenshots/${key}`;
      return `${publicUrl()}${path}?${signer.sign(path, now() + screenshotLifetimeMs)}`;
    },
    api: (path) => `${publicUrl()}${path}`,
  };
}
