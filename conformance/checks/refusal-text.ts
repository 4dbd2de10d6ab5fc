import type { Exchange } from '../harness/exchange.ts';
import type { JsonValue } from '../harness/json.ts';
import { isJsonObject } from '../harness/json.ts';

/** Every text in a body, at any depth: the contract does not say where in the body a message stands. */
export function textsOf(exchange: Exchange): string[] {
  return exchange.json === undefined ? [exchange.body] : collect(exchange.json);
}

/** The list behind "Supported values:" of a matching text, as it is written; undefined when no text matches. */
export function supportedList(exchange: Exchange, template: RegExp): string | undefined {
  return textsOf(exchange)
    .map((text) => template.exec(text)?.groups?.['list'])
    .find((list) => list !== undefined);
}

/** The words of a list, however they are separated. */
export function wordsOf(list: string): string[] {
  return list.match(/[\w-]+/g) ?? [];
}

/** True when two lists have the same members, in any order. */
export function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item));
}

/** The V2/V3 template for a pair; the model may be called by any of the names. */
export function levelTemplate(names: readonly string[], level: string): RegExp {
  const model = names.map((name) => escape(name)).join('|');
  return new RegExp(
    String.raw`Model\s+"(?:${model})"\s+\(provider\s+"[^"]+"\)\s+does\s+not\s+support\s+` +
      String.raw`thinking_level="${escape(level)}"\.\s+Supported\s+values:\s*(?<list>[^.\n]*)`,
  );
}

/** The V4 template for a value of a path. */
export function paramTemplate(model: string, path: string, value: string): RegExp {
  return new RegExp(
    String.raw`Model\s+"${escape(model)}"\s+does\s+not\s+support\s+` +
      String.raw`modelParams\.${escape(path)}='${escape(value)}'\.\s+Supported\s+values:\s*(?<list>[^.\n]*)`,
  );
}

function collect(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item) => collect(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => collect(item)) : [];
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
