import type { CustomProxy } from '#browsers/index.ts';
import type { Vault } from '#lib/vault.ts';

/** A custom proxy for the row of its owner, or null for none. */
export function sealProxy(vault: Vault, owner: string, proxy: CustomProxy | null): string | null {
  return proxy === null ? null : vault.seal(JSON.stringify(proxy), `proxy ${owner}`);
}

/** The proxy that was sealed for that owner. Throws when it cannot be opened: nobody goes without the proxy that was asked for. */
export function openProxy(vault: Vault, owner: string, sealed: string | null): CustomProxy | null {
  if (sealed === null) return null;
  // Written from this type and from nothing else.
  const proxy: CustomProxy = JSON.parse(vault.open(sealed, `proxy ${owner}`));
  return proxy;
}
