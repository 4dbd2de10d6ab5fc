import { isWithin, type JsonValue } from '#lib/json.ts';
import { defaultRules, limitOf } from '#contract/rule-book.ts';
import { tooLarge } from '#contract/http-messages.ts';

/** What is larger is refused by a service, and too large to be looked at. */
const bounds = { depth: limitOf(defaultRules, 'requestJsonDepth'), values: limitOf(defaultRules, 'requestJsonValues') };

/** Longer bodies are not looked at: reading them twice would take longer than answering. */
const bytesMax = 262_144;

/** The value of a body; undefined for none, and for one that is long or that a service would refuse to read. */
export function readJson(bytes: Uint8Array | typeof tooLarge | undefined): JsonValue | undefined {
  if (bytes === undefined || bytes === tooLarge || bytes.length === 0 || bytes.length > bytesMax) return undefined;
  if (!isWithin(bytes, bounds)) return undefined;
  try {
    const value: JsonValue = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
