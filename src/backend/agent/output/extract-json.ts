import type { JsonValue } from '#domain/json.ts';

/**
 * The JSON document in what a model wrote: all of it, what stands in its first fence, or else what begins with its first
 * bracket. Undefined when there is none.
 */
export function extractJson(text: string): JsonValue | undefined {
  const [, fenced] = /```(?:json)?[^\S\n]*\n([\s\S]*?)```/i.exec(text) ?? [];
  const candidates = [text, fenced, bracketed(text)];
  for (const candidate of candidates) {
    const value = candidate === undefined ? undefined : parsed(candidate.trim());
    if (value !== undefined) return value;
  }
  return undefined;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** From the first bracket to the one that closes it; brackets in strings do not count. */
function bracketed(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start === -1) return undefined;
  const open: string[] = [];
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/g)) {
    const closer = closing[token];
    if (closer !== undefined) open.push(closer);
    else if (token === open.at(-1)) open.pop();
    if (open.length === 0) return text.slice(start, start + index + 1);
  }
  return undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
