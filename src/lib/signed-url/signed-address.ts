import { randomFillSync, timingSafeEqual } from 'node:crypto';
import { createMac } from './mac.ts';

/** Makes and checks presigned addresses: who has one may read it until it expires, without a key. */
export interface AddressSigner {
  /** Query text (`expires`, `nonce`, `signature`) that opens `path` until `expiresMs`; different on every call. */
  sign(path: string, expiresMs: number): string;
  /** Whether the query opens the path at the time `nowMs`. */
  opens(path: string, query: URLSearchParams, nowMs: number): boolean;
}

/** Signs with HMAC-SHA256 under a secret of at least 32 bytes. */
export function createAddressSigner(secret: Uint8Array): AddressSigner {
  const mac = createMac(secret);
  const newNonce = createNonces();
  const signature = (path: string, expires: string, nonce: string): string => mac(`${path}\n${expires}\n${nonce}`);
  return {
    sign(path, expiresMs) {
      const expires = String(expiresMs);
      const nonce = newNonce();
      // Nothing in it has to be escaped.
      return `expires=${expires}&nonce=${nonce}&signature=${signature(path, expires, nonce)}`;
    },
    opens(path, query, nowMs) {
      const expires = query.get('expires') ?? '';
      const given = Buffer.from(query.get('signature') ?? '', 'base64url');
      const wanted = Buffer.from(signature(path, expires, query.get('nonce') ?? ''), 'base64url');
      return given.length === wanted.length && timingSafeEqual(given, wanted) && nowMs <= Number(expires);
    },
  };
}

const nonceBytes = 9;

/** Nonces of random bytes, many of which are drawn at once: to draw a few takes as long. */
function createNonces(): () => string {
  const drawn = Buffer.alloc(nonceBytes * 256);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += nonceBytes;
    return drawn.toString('base64url', used - nonceBytes, used);
  };
}
