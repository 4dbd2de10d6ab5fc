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

/** Seals texts for the time that they lie in the database, and bytes for the time that they lie in a store. */
export interface Vault {
  /** The sealed text; it opens only under the same owner. */
  seal(text: string, owner: string): string;
  /** The text that was sealed for that owner. Throws when it was sealed with another key or for another owner, or was changed. */
  open(sealed: string, owner: string): string;
  /** The same for bytes as they come: `sealedStreamExtra` more than there were. */
  sealBytes(bytes: AsyncIterable<Uint8Array>, owner: string): AsyncIterable<Uint8Array>;
  /** The bytes that were sealed for that owner; whether they are is known only at their end, where it throws. */
  openBytes(sealed: AsyncIterable<Uint8Array>, owner: string): AsyncIterable<Uint8Array>;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals with AES-256-GCM under a key that is derived from a secret of at least 32 bytes. */
export function createVault(secret: Uint8Array): Vault {
  // A KeyObject: with bytes each seal takes ten times as long.
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

/** How many bytes a sealed stream has more than what was sealed. */
export const sealedStreamExtra = nonceBytes + tagBytes;

/** A key of 32 bytes, and whose bytes they are: they open only under the same owner. */
export interface StreamSeal {
  readonly key: KeyObject;
  readonly owner: string;
}

/** Seals bytes as they come with AES-256-GCM: a nonce, as many bytes as there were, and a tag over all of them. */
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
 * Opens what `sealStream` sealed. The tag comes last, so whoever reads must not use anything before the end has come: throws there
 * when it was sealed with another key or for another owner, was changed or cut off.
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
    // The last bytes are the tag, and only the end tells which are the last.
    const ready = held.length - tagBytes;
    if (decipher === null || ready <= 0) continue;
    yield decipher.update(held.subarray(0, ready));
    held = held.subarray(ready);
  }
  if (decipher === null || held.length < tagBytes) throw new Error('The sealed bytes are cut off.');
  decipher.setAuthTag(held).final();
}

/** Columns of a row that has access tokens: no column has a token in clear. */
export interface TokenRow {
  readonly id: string;
  /** A JSON object of the tokens by their uses, sealed; '' for an erased row, null only until the first start after an upgrade. */
  readonly sealed_tokens: string | null;
}

/** The columns of new tokens. */
export type TokenColumns<Use extends string> = { readonly [Column in `${Use}_hash`]: string } & {
  readonly sealed_tokens: string;
};

/** Tokens that are rights by themselves: addresses of live views, DevTools and shares. */
export interface AccessTokens {
  /** Makes a token for each use of a new row. */
  make<Use extends string>(id: string, uses: readonly Use[]): TokenColumns<Use>;
  /** Seals tokens that exist already. */
  seal<Use extends string>(id: string, tokens: Readonly<Record<Use, string>>): TokenColumns<Use>;
  /** Returns the token of a row for one use, to show its address again. Throws for a row that has none or was sealed with another key. */
  read(row: TokenRow, use: string): string;
}

/** Opened rows that are remembered: opening takes a tenth of the time of a request, and clients poll the same rows. */
const rememberedMax = 10_000;

/** Returns what is kept of a token to find its row by: its SHA-256 in hexadecimal. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Tokens whose rows keep a hash for each use and all of them sealed, so that a copy of the database opens nothing. */
export function createAccessTokens(vault: Pick<Vault, 'seal' | 'open'>, newToken: () => string): AccessTokens {
  const remembered = new Map<string, Readonly<Record<string, string>>>();
  const remember = (sealed: string, tokens: Readonly<Record<string, string>>): typeof tokens => {
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(sealed, tokens);
    return tokens;
  };
  const seal: AccessTokens['seal'] = (id, tokens) => {
    const sealed = vault.seal(JSON.stringify(tokens), ownerOf(id));
    remember(sealed, tokens);
    const hashes = Object.entries<string>(tokens).map(([use, token]) => [`${use}_hash`, tokenHash(token)]);
    return { ...Object.fromEntries(hashes), sealed_tokens: sealed };
  };
  return {
    seal,
    make(id, uses) {
      const tokens = Object.fromEntries(uses.map((use) => [use, newToken()]));
      return seal(id, tokens);
    },
    read({ id, sealed_tokens: sealed }, use) {
      const tokens = sealed === null ? {} : (remembered.get(sealed) ?? remember(sealed, opened(vault, id, sealed)));
      const token = tokens[use];
      if (token === undefined) throw new Error(`found no ${use} token in the row ${id}, expected a sealed one`);
      return token;
    },
  };
}

function opened(vault: Pick<Vault, 'open'>, id: string, sealed: string): Record<string, string> {
  return JSON.parse(vault.open(sealed, ownerOf(id)));
}

function ownerOf(id: string): string {
  return `tokens ${id}`;
}
