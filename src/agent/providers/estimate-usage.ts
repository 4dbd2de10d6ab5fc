import type { ModelMessage, ModelPart, ModelReply, ModelRequest, ModelUsage } from '../model/model-call.ts';

/** As the offline planner meters (decision 2). */
const charactersPerToken = 4;
/** A picture of a page, by what providers document of pictures of about a megapixel. */
const tokensOfPicture = 1500;

/** What a call is taken to have used whose provider does not say: a ceiling must not be passed because a figure is missing. */
export function estimateUsage(request: ModelRequest, reply: Omit<ModelReply, 'usage'>): ModelUsage {
  const input =
    tokensOf(request.system) +
    tokensOf(JSON.stringify(request.tools)) +
    request.messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
  return { inputTokens: input, outputTokens: Math.max(1, tokensOfReply(reply)) };
}

function tokensOfMessage(message: ModelMessage): number {
  if (message.role === 'user') return tokensOfParts(message.parts);
  if (message.role === 'model') return tokensOfReply(message.reply);
  return message.results.reduce((sum, { parts }) => sum + tokensOfParts(parts), 0);
}

function tokensOfParts(parts: readonly ModelPart[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'text' ? tokensOf(part.text) : tokensOfPicture), 0);
}

function tokensOfReply({ text, toolCalls }: Omit<ModelReply, 'usage'>): number {
  return tokensOf(text) + toolCalls.reduce((sum, { name, input }) => sum + tokensOf(name + JSON.stringify(input)), 0);
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
