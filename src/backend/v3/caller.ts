import type { RuleBook } from '#domain/rule-book.ts';
import type { Engine } from '../engine/create-engine.ts';
import type { AddressSigner } from '../public/signed-address.ts';
import type { Scope, SessionRow } from '../storage/sessions.ts';

/** What an operation works with: who calls, and the service's parts. */
export interface Caller {
  readonly scope: Scope;
  readonly engine: Engine;
  readonly rules: RuleBook;
  readonly addresses: Addresses;
  /** Whether the caller's project has stored a key of that model provider. */
  hasProviderKey(provider: string): Promise<boolean>;
}

/** Makes the addresses that answers carry; each starts with the public address of the service. */
export interface Addresses {
  live(session: SessionRow): string;
  /** A new presigned address of the session's latest screenshot, or null when there is none. */
  screenshot(session: SessionRow): string | null;
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
    live: (session) => `${publicUrl()}/live/${session.live_token}`,
    screenshot(session) {
      if (session.screenshot_key === null) return null;
      const path = `/screenshots/${session.screenshot_key}`;
      return `${publicUrl()}${path}?${signer.sign(path, now() + screenshotLifetimeMs)}`;
    },
  };
}
