import type { RuleBook } from './rule-book.ts';

/** What one token costs, in pico-dollars (1 USD = 10^12), which are micro-dollars per million; integers of at least 0. */
export interface TokenPrice {
  readonly inputPicos: number;
  readonly outputPicos: number;
}

/** Tokens that went to a model and came from it, both integers of at least 0. */
export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Whose price is asked for. */
export interface PricedModel {
  /** Normalised name of spec/rules/models.yaml. */
  readonly model: string;
  /** Whether the caller's own key pays the provider. */
  readonly isOwnKey: boolean;
}

const wholePercent = 100;

/** The price of a model in spec/rules/pricing.yaml; a model without a row has that of `anyModel`. */
export function tokenPrice(pricing: RuleBook['pricing'], { model, isOwnKey }: PricedModel): TokenPrice {
  const row = pricing.models.find((one) => one.model === model) ?? pricing.anyModel;
  return priceOfRow(row, isOwnKey ? pricing.ownKey.percentOfPrice : wholePercent);
}

/** The price of what the offline planner has done (decision 2). */
export function plannerPrice(pricing: RuleBook['pricing']): TokenPrice {
  return priceOfRow(pricing.offlinePlanner, wholePercent);
}

/** What tokens cost at a price, in pico-dollars. */
export function picosOf({ inputPicos, outputPicos }: TokenPrice, { inputTokens, outputTokens }: Tokens): number {
  return inputTokens * inputPicos + outputTokens * outputPicos;
}

/** A share of a price is a whole number of pico-dollars again, rounded up. */
function priceOfRow(row: RuleBook['pricing']['anyModel'], percent: number): TokenPrice {
  return {
    inputPicos: Math.ceil((row.microUsdPerMillionInputTokens * percent) / wholePercent),
    outputPicos: Math.ceil((row.microUsdPerMillionOutputTokens * percent) / wholePercent),
  };
}
