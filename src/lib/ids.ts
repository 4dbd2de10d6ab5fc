import { randomBytes, randomUUID } from 'node:crypto';

/** Names for what is made. */
export interface Ids {
  /** A new uuid. */
  readonly newId: () => string;
  /** A new word that is a right by itself: whoever knows it may. */
  readonly newToken: () => string;
}

const tokenBytes = 24;

/** Names that nobody can guess. */
export const randomIds: Ids = {
  newId: randomUUID,
  newToken: () => randomBytes(tokenBytes).toString('base64url'),
};
