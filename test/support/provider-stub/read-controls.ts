import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { StubRequest } from './judge-request.ts';

/** Returns the reasoning controls of a request of any provider family. */
export function readControls({ api, body }: StubRequest): JsonObject {
  const { generationConfig: config } = body;
  if (api === 'openai-responses') return present({ reasoning: body['reasoning'] });
  if (api === 'anthropic-messages')
    return present({ thinking: body['thinking'], output_config: body['output_config'] });
  if (api === 'google-generate-content')
    return isJsonObject(config) ? present({ thinkingConfig: config['thinkingConfig'] }) : {};
  return present({ thinking: body['thinking'], reasoning_effort: body['reasoning_effort'] });
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const found: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) found[name] = value;
  return found;
}
