import { isJsonObject, type JsonObject } from '#lib/json.ts';

/**
 * A request with the reasoning controls of its task in it. They are forwarded as they are (contract 4, V4 modelParams), beside what the
 * request has in the same objects.
 */
export function withControls<Body extends object>(body: Body, controls: JsonObject): Body {
  const merged = new Map<string, unknown>(Object.entries(body));
  for (const [name, value] of Object.entries(controls)) {
    const own = merged.get(name);
    merged.set(name, isJsonObject(own) && isJsonObject(value) ? withControls(own, value) : value);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what may stand in the controls was checked by the tables, which types do not know
  return Object.fromEntries(merged) as Body;
}
