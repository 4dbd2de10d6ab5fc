import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/**
 * For each API, a function that checks the documented rules about several members of a request. The function returns
 * the violations.
 */
export const wireRules: Readonly<Record<string, (body: JsonObject) => readonly string[]>> = {
  'openai-responses': (body) => [
    ...choiceWithoutTools(body),
    ...pairs({
      asked: objects(body['input'])
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id }) => id),
      answered: objects(body['input'])
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id: id }) => id),
    }),
    ...(body['store'] === false &&
    objects(body['input']).some(
      ({ type, encrypted_content: sealed }) => type === 'reasoning' && typeof sealed !== 'string',
    )
      ? ['a reasoning item of a response that was not stored has no encrypted_content']
      : []),
    ...objects(body['input']).flatMap(({ type }, index, items) =>
      type === 'reasoning' && !followsReasoning(items[index + 1])
        ? ['a reasoning item stands without the item that it led to']
        : [],
    ),
  ],
  'anthropic-messages': (body) => {
    const blocks = objects(body['messages']).flatMap(({ content }) => objects(content));
    const { thinking, max_tokens: most, tool_choice: choice } = body;
    const budget = isJsonObject(thinking) ? thinking['budget_tokens'] : undefined;
    const thinks = isJsonObject(thinking) && thinking['type'] !== 'disabled';
    return [
      ...choiceWithoutTools(body),
      ...pairs({
        asked: blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id),
        answered: blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => id),
      }),
      ...(typeof budget === 'number' && typeof most === 'number' && budget >= most
        ? ['max_tokens is not greater than thinking.budget_tokens']
        : []),
      ...(thinks && isJsonObject(choice) && choice['type'] === 'any'
        ? ['thinking stands beside a tool_choice that forces tool use']
        : []),
    ];
  },
  'google-generate-content': (body) => {
    const parts = objects(body['contents']).flatMap(({ parts: own }) => objects(own));
    const ids = (member: string): readonly JsonValue[] =>
      parts.flatMap((part) => (isJsonObject(part[member]) ? [part[member]['name'] ?? null] : []));
    const { thinkingConfig } = isJsonObject(body['generationConfig']) ? body['generationConfig'] : {};
    const both =
      isJsonObject(thinkingConfig) && 'thinkingLevel' in thinkingConfig && 'thinkingBudget' in thinkingConfig;
    return [
      ...pairs({ asked: ids('functionCall'), answered: ids('functionResponse') }),
      ...(both ? ['thinkingLevel stands beside thinkingBudget'] : []),
    ];
  },
  'chat-completions': (body) => [
    ...choiceWithoutTools(body),
    ...pairs({
      asked: objects(body['messages']).flatMap(({ tool_calls: calls }) => objects(calls).map(({ id }) => id)),
      answered: objects(body['messages'])
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id: id }) => id),
    }),
    ...objects(body['messages'])
      .flatMap(({ tool_calls: calls }) => objects(calls))
      .flatMap((call) =>
        isJsonObject(call['function']) && isJson(call['function']['arguments'])
          ? []
          : ['arguments of a call are no JSON'],
      ),
  ],
};

function followsReasoning(item: JsonObject | undefined): boolean {
  return ['reasoning', 'function_call'].some((type) => item?.['type'] === type) || item?.['role'] === 'assistant';
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function choiceWithoutTools(body: JsonObject): readonly string[] {
  return 'tool_choice' in body && !('tools' in body) ? ['tool_choice stands without tools'] : [];
}

/** Returns a violation unless the results of tool calls have the same ids as the calls, in the same order. */
function pairs({
  asked,
  answered,
}: {
  readonly asked: readonly unknown[];
  readonly answered: readonly unknown[];
}): readonly string[] {
  return JSON.stringify(asked) === JSON.stringify(answered)
    ? []
    : [`calls ${JSON.stringify(asked)} are answered as ${JSON.stringify(answered)}`];
}

function isJson(text: JsonValue | undefined): boolean {
  try {
    JSON.parse(typeof text === 'string' ? text : '');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
