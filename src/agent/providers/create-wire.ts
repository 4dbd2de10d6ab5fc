import type { RuleBook } from '#contract/rule-book.ts';
import { createWire as createMessagesWire } from './apis/anthropic-messages.ts';
import { createWire as createChatWire } from './apis/chat-completions.ts';
import { createWire as createGenerateContentWire } from './apis/google-generate-content.ts';
import { createWire as createResponsesWire } from './apis/openai-responses.ts';
import type { ProviderApi, WireTarget } from './apis/provider-api.ts';

/** The wire that a provider speaks. Throws an Error for a provider that the table does not have, which is a bug of the tables. */
export function createWire(rules: RuleBook['providers'], provider: string, target: WireTarget): Promise<ProviderApi> {
  const api = rules.providers.find((row) => row.provider === provider)?.api;
  if (api === 'openai-responses') return createResponsesWire(target);
  if (api === 'anthropic-messages') return createMessagesWire(target);
  if (api === 'google-generate-content') return createGenerateContentWire(target);
  const dialect = rules.dialects.find((row) => row.provider === provider);
  if (api === 'chat-completions' && dialect !== undefined) return createChatWire(target, dialect);
  throw new Error(`found ${provider} with the wire ${String(api)}, expected one that this knows and its dialect`);
}
