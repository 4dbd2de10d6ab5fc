import { createHmac, createSecretKey, randomFillSync, timingSafeEqual } from 'node:crypto';

/** Signer of presigned URLs. Such a URL grants access without an API key until it expires. */
export interface UrlSigner {
  /**
   * Returns a query (`expires`, `nonce`, `signature`) that grants access to `path` until `expiresMs`. Each call returns
   * a different query.
   */
  sign(path: string, expiresMs: number): string;
  /** Returns whether the query is a valid signature for the path and has not expired at the time `nowMs`. */
  opens(path: string, query: URLSearchParams, nowMs: number): boolean;
}

/** Creates a signer that uses HMAC-SHA256 with a secret of at least 32 bytes. */
export function createUrlSigner(secret: Uint8Array): UrlSigner {
  const key = createSecretKey(secret);
  const newNonce = createNonces();
  const signature = (path: string, expires: string, nonce: string): string =>
    createHmac('sha256', key).update(`${path}\n${expires}\n${nonce}`).digest('base64url');
  return {
    sign(path, expiresMs) {
      const expires = String(expiresMs);
      const nonce = newNonce();
      // These values need no URL encoding.
      return `expires=${expires}&nonce=${nonce}&signature=${signature(path, expires, nonce)}`;
    },
    opens(path, query, nowMs) {
      const expires = query.get('expires') ?? '';
      // Compared as text: several texts decode to the same bytes.
      const given = Buffer.from(query.get('signature') ?? '');
      const wanted = Buffer.from(signature(path, expires, query.get('nonce') ?? ''));
      return given.length === wanted.length && timingSafeEqual(given, wanted) && nowMs <= Number(expires);
    },
  };
}

const nonceBytes = 9;

/**
 * Creates a generator of nonces. It reads many random bytes at once, because reading few bytes takes as long as reading
 * many.
 */
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

/**
 * Returns the path of an upload form, which is signed. It contains the key of the file and its content type,
 * percent-encoded.
 */
export function formPath(key: string, contentType: string): string {
  return `/upload-forms/${encodeURIComponent(key)}/${encodeURIComponent(contentType)}`;
}
