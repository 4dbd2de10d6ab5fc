import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { ModelMessage } from '../model/model-call.ts';
import { askForText, type Finishing, outputTokens, userSays, type Written } from './ask-for-text.ts';
import { extractJson } from './extract.ts';

/** An output that conforms to the schema, or the reason why none could be created. */
export type SchemaOutput =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** A proposed output, and its violations of the schema. */
interface Attempt {
  readonly output: JsonValue | undefined;
  readonly errors: readonly string[];
  /**
   * Earlier requests for the output and the model's replies, which the next request repeats. Empty for the output that
   * the agent proposed without a request.
   */
  readonly turn: readonly ModelMessage[];
}

/**
 * Creates an output for a schema: the proposal if it conforms, otherwise a reply of the model, in the provider's
 * structured-output mode if possible. Asks the model for an output if no proposal exists. Asks once more, with the
 * violations as sentences, if the proposal or the reply does not conform.
 */
export async function askForOutput(
  schema: JsonObject,
  proposed: JsonValue | undefined,
  finishing: Finishing,
): Promise<SchemaOutput> {
  const first = await judged(schema, proposed, { finishing, turn: [] });
  if (first.errors.length === 0) return { ok: true, output: first.output ?? null };
  const attempt = proposed === undefined ? await ask(schema, askedFor(schema), { finishing, turn: [] }) : first;
  if (typeof attempt === 'string') return { ok: false, reason: attempt };
  if (attempt.errors.length === 0) return { ok: true, output: attempt.output ?? null };
  const repaired = await ask(schema, faults(schema, attempt), { finishing, turn: attempt.turn });
  if (typeof repaired === 'string') return { ok: false, reason: repaired };
  if (repaired.errors.length === 0) return { ok: true, output: repaired.output ?? null };
  const reason = `the output does not conform to the output schema, also after a second attempt (${repaired.errors.join('; ')})`;
  return { ok: false, reason };
}

interface Place {
  readonly finishing: Finishing;
  readonly turn: readonly ModelMessage[];
}

/** Asks the model for an output. Returns the output with its violations, or the reason why the model made none. */
async function ask(schema: JsonObject, text: string, { finishing, turn }: Place): Promise<Attempt | string> {
  const messages = [...finishing.messages, ...turn, userSays(text)];
  const written = await write(schema, messages, finishing);
  if (!written.ok) return written.reason;
  const next: readonly ModelMessage[] = [...turn, userSays(text), { role: 'model', reply: written.reply }];
  return judged(schema, extractJson(written.text), { finishing, turn: next });
}

/**
 * Asks for an output, with the schema in the provider's native way if possible. If the provider rejects that request,
 * asks again without the native schema, because the messages contain the schema as text.
 */
async function write(
  schema: JsonObject,
  messages: readonly ModelMessage[],
  { model, system }: Finishing,
): Promise<Written> {
  const question = { system, messages, maxOutputTokens: outputTokens };
  const native = await askForText(model, { ...question, outputSchema: model.hasNativeOutput ? schema : null });
  if (native.ok || !native.isBadRequest || !model.hasNativeOutput) return native;
  return askForText(model, { ...question, outputSchema: null });
}

async function judged(schema: JsonObject, output: JsonValue | undefined, { finishing, turn }: Place): Promise<Attempt> {
  if (output === undefined) return { output, errors: ['it contains no JSON document'], turn };
  const verdict = await finishing.judge.check(schema, output);
  return { output, errors: verdict.ok ? [] : verdict.errors, turn };
}

function askedFor(schema: JsonObject): string {
  return `The work is done. Give its result now as one JSON document that conforms to this JSON Schema, and nothing else: no words before or after it, no fence. Invent nothing: only what you have seen.\n${JSON.stringify(schema)}`;
}

function faults(schema: JsonObject, { output, errors }: Attempt): string {
  const shown = output === undefined ? '' : `\nIt was: ${JSON.stringify(output).slice(0, 20_000)}`;
  const list = errors.map((error) => `- ${error}`).join('\n');
  return `The output does not conform to the JSON Schema that was asked for:\n${list}${shown}\n\nGive it once more as one JSON document that conforms, and nothing else. The schema:\n${JSON.stringify(schema)}`;
}
