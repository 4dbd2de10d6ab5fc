import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type DecipherGCM,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** Encryption of stored data: texts in the database, and byte streams in a blob store. */
export interface Vault {
  /** Encrypts a text for an owner. The result can be decrypted only with the same owner. */
  seal(text: string, owner: string): string;
  /**
   * Decrypts a text that was encrypted for this owner. Throws if the key or owner differs, or the text was modified.
   */
  open(sealed: string, owner: string): string;
  /** Encrypts a stream of bytes for an owner. The result is longer by `sealedStreamExtra` bytes. */
  sealBytes(bytes: AsyncIterable<Uint8Array>, owner: string): AsyncIterable<Uint8Array>;
  /**
   * Decrypts a stream of bytes that was encrypted for this owner. Authenticity is verified only at the end of the
   * stream. At its end the stream throws if the key or owner differs, or if bytes were modified or are missing.
   */
  openBytes(sealed: AsyncIterable<Uint8Array>, owner: string): AsyncIterable<Uint8Array>;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Creates a vault that encrypts with AES-256-GCM. Its keys are derived from a secret of at least 32 bytes. */
export function createVault(secret: Uint8Array): Vault {
  // A KeyObject makes each encryption ten times faster than raw key bytes.
  const derive = (use: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), use, keyBytes)));
  const [key, streamKey] = [derive('svc vault 1'), derive('svc vault streams 1')];
  return {
    sealBytes: (bytes, owner) => sealStream(bytes, { key: streamKey, owner }),
    openBytes: (sealed, owner) => openStream(sealed, { key: streamKey, owner }),
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64url');
    },
    open(sealed, owner) {
      const all = Buffer.from(sealed, 'base64url');
      const nonce = all.subarray(0, nonceBytes);
      const tag = all.subarray(nonceBytes, nonceBytes + tagBytes);
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
      const bytes = all.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(bytes), decipher.final()]).toString('utf8');
    },
  };
}

/** Number of bytes that encryption adds to a stream. */
export const sealedStreamExtra = nonceBytes + tagBytes;

/** A key of 32 bytes, and the owner for whom a stream is encrypted. */
export interface StreamSeal {
  readonly key: KeyObject;
  readonly owner: string;
}

/**
 * Encrypts a stream with AES-256-GCM. Yields a nonce, the encrypted bytes and an authentication tag. The tag also
 * authenticates the owner.
 */
export async function* sealStream(
  source: AsyncIterable<Uint8Array>,
  { key, owner }: StreamSeal,
): AsyncGenerator<Uint8Array> {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
  yield nonce;
  for await (const piece of source) yield cipher.update(piece);
  cipher.final();
  yield cipher.getAuthTag();
}

/**
 * Decrypts the output of `sealStream`. The authentication tag comes last, so no byte may be used before the end of the
 * stream. At its end the stream throws if the key or owner differs, or if bytes were modified or are missing.
 */
export async function* openStream(
  source: AsyncIterable<Uint8Array>,
  { key, owner }: StreamSeal,
): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  let decipher: DecipherGCM | null = null;
  for await (const piece of source) {
    held = Buffer.concat([held, piece]);
    if (decipher === null && held.length >= nonceBytes) {
      const options = { authTagLength: tagBytes };
      decipher = createDecipheriv(algorithm, key, held.subarray(0, nonceBytes), options).setAAD(Buffer.from(owner));
      held = held.subarray(nonceBytes);
    }
    // The last bytes are the tag, and only the end of the stream shows which bytes are last.
    const ready = held.length - tagBytes;
    if (decipher === null || ready <= 0) continue;
    yield decipher.update(held.subarray(0, ready));
    held = held.subarray(ready);
  }
  if (decipher === null || held.length < tagBytes) throw new Error('The sealed bytes are cut off.');
  decipher.setAuthTag(held).final();
}

/** Database columns of a row that has access tokens. The tokens are encrypted. */
export interface TokenRow {
  readonly id: string;
  /**
   * The tokens of the row as an encrypted JSON object, by use. Empty for an erased row. Null only in a row of an
   * earlier release, until the first start after an upgrade.
   */
  readonly sealedTokens: string | null;
}

/** Database columns for the access tokens of a row: the hash of each token, and all tokens encrypted. */
export type TokenColumns<Use extends string> = { readonly [Column in `${Use}Hash`]: string } & {
  readonly sealedTokens: string;
};

/** Access tokens that are part of URLs of live views, DevTools and shares. A token alone grants access. */
export interface AccessTokens {
  /** Creates a token for each use, such as a share, and returns the database columns of the row `id`. */
  make<Use extends string>(id: string, uses: readonly Use[]): TokenColumns<Use>;
  /** Returns the database columns of the row `id` for existing tokens. */
  seal<Use extends string>(id: string, tokens: Readonly<Record<Use, string>>): TokenColumns<Use>;
  /**
   * Returns the token of a row for one use, so that its URL can be shown again. Throws if the row has no such token, or
   * if its tokens were encrypted with another key.
   */
  read(row: TokenRow, use: string): string;
}

/**
 * Maximum number of rows whose decrypted tokens are cached. Decryption takes a tenth of a request's time, and clients
 * poll the same rows.
 */
const rememberedMax = 10_000;

/**
 * Number of hexadecimal digits in the stored hash of a token. Its 128 bits suffice for a random token and keep rows and
 * indexes small.
 */
const hashDigits = 32;

/** Returns the first half of a token's SHA-256 hash in hexadecimal. The database finds the row of a token by it. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex').slice(0, hashDigits);
}

/**
 * Creates the functions that generate, store and read access tokens. The database contains only hashes and encrypted
 * tokens, so that a copy of the database grants no access.
 */
export function createAccessTokens(vault: Pick<Vault, 'seal' | 'open'>, newToken: () => string): AccessTokens {
  const remembered = new Map<string, Readonly<Record<string, string>>>();
  const remember = (sealed: string, tokens: Readonly<Record<string, string>>): typeof tokens => {
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(sealed, tokens);
    return tokens;
  };
  const seal: AccessTokens['seal'] = (id, tokens) => {
    const sealed = vault.seal(JSON.stringify(tokens), tokenOwner(id));
    remember(sealed, tokens);
    const hashes = Object.entries<string>(tokens).map(([use, token]) => [`${use}Hash`, tokenHash(token)]);
    return { ...Object.fromEntries(hashes), sealedTokens: sealed };
  };
  return {
    seal,
    make(id, uses) {
      const tokens = Object.fromEntries(uses.map((use) => [use, newToken()]));
      return seal(id, tokens);
    },
    read({ id, sealedTokens: sealed }, use) {
      const tokens = sealed === null ? {} : (remembered.get(sealed) ?? remember(sealed, opened(vault, id, sealed)));
      const token = tokens[use];
      if (token === undefined) throw new Error(`found no ${use} token in the row ${id}, expected a sealed one`);
      return token;
    },
  };
}

function opened(vault: Pick<Vault, 'open'>, id: string, sealed: string): Record<string, string> {
  return JSON.parse(vault.open(sealed, tokenOwner(id)));
}

function tokenOwner(id: string): string {
  return `tokens ${id}`;
}
