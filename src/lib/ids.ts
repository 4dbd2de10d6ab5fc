import { randomBytes, randomUUID } from 'node:crypto';

/** Generator of ids and tokens. */
export interface Ids {
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** Returns a new bearer token, which grants access to its holder. */
  readonly newToken: () => string;
}

const tokenBytes = 24;

/** Generator of unpredictable ids and tokens. */
export const randomIds: Ids = {
  newId: randomUUID,
  newToken: () => randomBytes(tokenBytes).toString('base64url'),
};
