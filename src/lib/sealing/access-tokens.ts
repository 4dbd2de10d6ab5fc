import { hash } from 'node:crypto';
import type { Vault } from './vault.ts';

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
