import type { TokenPrice } from '#domain/token-price.ts';

/** Whose call it is, and what its tokens cost. */
export interface CallPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly price: TokenPrice;
}
