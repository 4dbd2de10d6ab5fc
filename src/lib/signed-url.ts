import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

/** Creates and verifies presigned URLs, which grant access without a key until they expire. */
export interface UrlSigner {
  /**
   * Returns the query (`expires`, `nonce`, `signature`) that grants access to `path` until `expiresMs`; different on
   * every call.
   */
  sign(path: string, expiresMs: number): string;
  /** Returns whether the query grants access to the path at the time `nowMs`. */
  opens(path: string, query: URLSearchParams, nowMs: number): boolean;
}

/** Creates a signer with HMAC-SHA256 under a secret of at least 32 bytes. */
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
      const given = Buffer.from(query.get('signature') ?? '', 'base64url');
      const wanted = Buffer.from(signature(path, expires, query.get('nonce') ?? ''), 'base64url');
      return given.length === wanted.length && timingSafeEqual(given, wanted) && nowMs <= Number(expires);
    },
  };
}

const nonceBytes = 9;

/**
 * Creates a generator of nonces. It reads many random bytes at once, because a small read takes as long as a large one.
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

const blockBytes = 64;
const digestBytes = 32;
const innerPad = 0x36;
const outerPad = 0x5c;
/** Maximum length of texts that use the shared buffer; longer texts allocate their own. */
const usualBytes = 1024;

/**
 * Creates an HMAC-SHA256 function (RFC 2104) under one secret; results are base64url. It computes the two hashes
 * directly: Node's HMAC object costs several times as much, and responses with signed URLs need one each.
 */
export function createMac(secret: Uint8Array): (text: string) => string {
  const key = secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret;
  const inner = padded(key, innerPad, blockBytes + usualBytes);
  const outer = padded(key, outerPad, blockBytes + digestBytes);
  return (text) => {
    const length = Buffer.byteLength(text);
    const message = length <= usualBytes ? inner : Buffer.concat([inner.subarray(0, blockBytes)], blockBytes + length);
    message.write(text, blockBytes);
    // Node returns a binary string, one character per byte, in a third of the time of a buffer.
    outer.write(hash('sha256', message.subarray(0, blockBytes + length), 'binary'), blockBytes, 'binary');
    return hash('sha256', outer, 'base64url');
  };
}

/** Returns a buffer of `bytes` bytes that begins with the key, each of its bytes XORed with `pad`. */
function padded(key: Uint8Array, pad: number, bytes: number): Buffer {
  const block = Buffer.alloc(bytes);
  block.set(key);
  for (let index = 0; index < blockBytes; index += 1) block[index] = (block[index] ?? 0) ^ pad;
  return block;
}

/**
 * Returns the signed path of an upload form. It contains both fields that describe the file, encoded without slashes.
 */
export function formPath(key: string, contentType: string): string {
  return `/upload-forms/${encodeURIComponent(key)}/${encodeURIComponent(contentType)}`;
}
