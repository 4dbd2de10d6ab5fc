import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** What is left for the reply itself beside a fixed budget of thinking. */
const replyTokensMin = 1024;

/** The fewest tokens of output that a request with these controls can ask for: a fixed budget is part of them, and has to be less. */
export function outputTokensMin({ thinking, thinkingConfig }: JsonObject): number {
  const budgets = [
    isJsonObject(thinking) ? thinking['budget_tokens'] : null,
    isJsonObject(thinkingConfig) ? thinkingConfig['thinkingBudget'] : null,
  ];
  const budget = budgets.find((value) => typeof value === 'number') ?? 0;
  return budget === 0 ? 1 : budget + replyTokensMin;
}
