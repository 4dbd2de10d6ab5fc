import type { ModelAnswer, ToolCall } from '#agent/model/model-call.ts';

/** Returns a reply of a scripted model that calls tools. */
export function callsTools(toolCalls: readonly ToolCall[]): ModelAnswer {
  const usage = { inputTokens: 3, outputTokens: 2 };
  return { ok: true, reply: { text: '', toolCalls, end: 'tools', usage, replay: null } };
}
