import { type JsonValue, isJsonObject } from './json.ts';

/** Returns the JSON pointer of the member at a dotted path: `a.b` gives `/a/b`. */
export function pointerTo(path: string): string {
  return path
    .split('.')
    .map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Returns the steps of a JSON pointer; an empty list for the whole document. */
export function stepsOfPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value at a JSON pointer; undefined if the pointer leads nowhere. */
export function valueAtPointer(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return stepsOfPointer(pointer).reduce<JsonValue | undefined>((current, step) => {
    if (Array.isArray(current)) return current[Number(step)];
    return isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }, value);
}
