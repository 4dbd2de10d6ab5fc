import { errors } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** One fault that the body of a refusal reports. */
export interface FoundRefusal {
  readonly text: string;
  /** Location of the fault, outermost part first, such as `body`, `thinkingLevel`; empty when the body has none. */
  readonly place: readonly string[];
  /** Error code in spec/rules/errors.yaml; null for a schema violation. */
  readonly code: string | null;
  /** Source of the error's row. */
  readonly source: string;
}

const ofSchemas = 'contract 2 Validation error body';

/** Returns the faults that the body of a refusal reports; empty for any other body. */
export function refusalsIn(answer: unknown): readonly FoundRefusal[] {
  const detail = isJsonObject(answer) ? answer['detail'] : undefined;
  if (typeof detail === 'string') return [{ text: detail, place: [], ...findRow(detail) }];
  return Array.isArray(detail) ? detail.filter(isJsonObject).map(readRefusal) : [];
}

function readRefusal({ msg, loc }: JsonObject): FoundRefusal {
  const text = typeof msg === 'string' ? msg : '';
  return { text, place: Array.isArray(loc) ? loc.map(toWord) : [], ...findRow(text) };
}

function toWord(part: JsonValue): string {
  return typeof part === 'string' ? part : JSON.stringify(part);
}

function findRow(text: string): Pick<FoundRefusal, 'code' | 'source'> {
  const row = templates.find(({ parts }) => isMessage(text, parts));
  return row === undefined ? { code: null, source: ofSchemas } : { code: row.code, source: row.source };
}

/** Message templates with text of their own: a template that is one placeholder would match every text. */
const templates = errors.problems
  .filter(({ message }) => message.replaceAll(/\{\w+\}/g, '').trim() !== '')
  .map(({ code, message, source }) => ({ code, source, parts: message.split(/\{\w+\}/) }));

/** Returns whether a text matches a message template with any values in its placeholders. */
function isMessage(text: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
