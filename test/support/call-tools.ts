import type { ModelAnswer, ToolCall } from '#agent/model/model-call.ts';

/** Returns a successful reply of a scripted model that makes these tool calls. */
export function callsTools(toolCalls: readonly ToolCall[]): ModelAnswer {
  const usage = { inputTokens: 3, outputTokens: 2 };
  return { ok: true, reply: { text: '', toolCalls, end: 'tools', usage, replay: null } };
}
