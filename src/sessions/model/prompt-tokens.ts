import type { RuleBook } from '#contract/rule-book.ts';
import type { ModelMessage, ModelPart, ModelRequest } from '#agent/model/model-call.ts';
import { limitOf } from '#contract/limits.ts';

/**
 * As how many input tokens a request is paid for in advance: more than providers make of it, as far as that can be said without
 * their tokenizers (decision 36). An integer of at least 1.
 */
export function promptTokens(rules: RuleBook, request: ModelRequest): number {
  const { system, messages, tools, outputSchema } = request;
  const shown = messages.map(textOf);
  const bytes = Buffer.byteLength(JSON.stringify([system, shown, tools, outputSchema]));
  const images = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return (
    limitOf(rules, 'modelPromptOverhead') +
    Math.ceil(bytes / limitOf(rules, 'modelPromptBytesPerToken')) +
    images * limitOf(rules, 'modelImageTokens')
  );
}

/** What of a message is text, as data; the bytes of images count by themselves. */
function textOf(message: ModelMessage): unknown {
  if (message.role === 'user') return message.parts.map(textOfPart);
  if (message.role === 'tools') return message.results.map(({ parts, ...rest }) => [rest, parts.map(textOfPart)]);
  const { text, toolCalls, replay } = message.reply;
  return replay ?? [text, toolCalls];
}

function textOfPart(part: ModelPart): string {
  return part.kind === 'text' ? part.text : '';
}

function imagesIn(message: ModelMessage): number {
  return partsOf(message).filter(({ kind }) => kind === 'image').length;
}

function partsOf(message: ModelMessage): readonly ModelPart[] {
  if (message.role === 'user') return message.parts;
  return message.role === 'tools' ? message.results.flatMap(({ parts }) => parts) : [];
}
