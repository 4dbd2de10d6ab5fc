import type { JsonObject } from '#lib/json.ts';

/** A text of a tool's input, or undefined where it was left out. The input was checked before: anything else is a bug. */
export function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`tool input: ${name} is no text`);
}

/** A text that is required. */
export function requiredText(input: JsonObject, name: string): string {
  const value = textIn(input, name);
  if (value === undefined) throw new TypeError(`tool input: no ${name}`);
  return value;
}

/** A number, or undefined where it was left out. */
export function numberIn(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'number') return value;
  throw new TypeError(`tool input: ${name} is no number`);
}

/** Whether a switch is on; one that was left out is off. */
export function flagIn(input: JsonObject, name: string): boolean {
  return input[name] === true;
}

/** Texts of a list; none where it was left out. */
export function textsIn(input: JsonObject, name: string): string[] {
  const value = input[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
