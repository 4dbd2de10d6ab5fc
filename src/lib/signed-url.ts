import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

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
  const mac = createMac(secret);
  const newNonce = createNonces();
  const signature = (path: string, expires: string, nonce: string): string => mac(`${path}\n${expires}\n${nonce}`);
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

/** Sizes of a block and of a digest of SHA-256, in bytes. */
const blockBytes = 64;
const digestBytes = 32;

/** Maximum size in bytes of a text that is hashed in the shared buffer. A longer text gets a buffer of its own. */
const usualBytes = 1024;

/**
 * Creates HMAC-SHA256 (RFC 2104) with a secret. The result is in base64url. With Node's `createHmac`, which creates an
 * object for each text, a poll needs a fifth more processor time (measured on 2026-11-28).
 */
function createMac(secret: Uint8Array): (text: string) => string {
  const key = secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret;
  const inner = padded(key, 0x36, usualBytes);
  const outer = padded(key, 0x5c, digestBytes);
  return (text) => {
    const length = Buffer.byteLength(text);
    const message = length <= usualBytes ? inner : padded(key, 0x36, length);
    message.write(text, blockBytes);
    outer.write(hash('sha256', message.subarray(0, blockBytes + length), 'binary'), blockBytes, 'binary');
    return hash('sha256', outer, 'base64url');
  };
}

/**
 * Returns a buffer with a block of the key, combined with `pad` by exclusive or, and `bytes` free bytes after the
 * block.
 */
function padded(key: Uint8Array, pad: number, bytes: number): Buffer {
  const block = Buffer.alloc(blockBytes + bytes);
  block.set(key);
  for (let index = 0; index < blockBytes; index += 1) block[index] = (block[index] ?? 0) ^ pad;
  return block;
}

const nonceBytes = 9;

/**
 * Creates a generator of nonces. The generator reads many random bytes at once, because reading few bytes takes as long
 * as reading many.
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
 * Returns the path of an upload form, which the service signs. The path contains the key of the file and its content
 * type, percent-encoded.
 */
export function formPath(key: string, contentType: string): string {
  return `/upload-forms/${encodeURIComponent(key)}/${encodeURIComponent(contentType)}`;
}
