import type { TokenPrice } from '#contract/money.ts';

/** Whose call it is, and what its tokens cost. */
export interface CallPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly price: TokenPrice;
  /** Fewer tokens of output the model cannot be asked for; at least 1. */
  readonly outputTokensMin: number;
}
