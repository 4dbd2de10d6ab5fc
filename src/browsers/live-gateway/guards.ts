import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** Whether a value read from outside is of a kind. */
export type Guard<T> = (value: unknown) => value is T;

/** What an object has whose members are of these kinds. */
export type Guarded<Guards extends Readonly<Record<string, Guard<unknown>>>> = {
  readonly [Name in keyof Guards]: Guards[Name] extends Guard<infer Kind> ? Kind : never;
};

/** A finite number between two bounds, both included. */
export function numberWithin(min: number, max: number): Guard<number> {
  return (value): value is number => typeof value === 'number' && value >= min && value <= max;
}

/** A whole number between two bounds, both included. */
export function integerWithin(min: number, max: number): Guard<number> {
  return (value): value is number => Number.isInteger(value) && numberWithin(min, max)(value);
}

/** A text of at most so many characters. */
export function textUpTo(length: number): Guard<string> {
  return (value): value is string => typeof value === 'string' && value.length <= length;
}

/** A complete address of http or https, at most 2,000 characters: other schemes open files or the browser's own pages. */
export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2_000 && /^https?:/i.test(value) && URL.canParse(value);
}

/** One of some words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Guard<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** True or false. */
export function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** A list of at most so many objects, each with such members. */
export function listOf<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  guards: Guards,
  most: number,
): Guard<Guarded<Guards>[]> {
  return (value): value is Guarded<Guards>[] =>
    Array.isArray(value) &&
    value.length <= most &&
    value.every((one) => isJsonObject(one) && pick(one, guards) !== null);
}

/** The members of an object, without any other; null when one of them is not of its kind. */
export function pick<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  object: JsonObject,
  guards: Guards,
): Guarded<Guards> | null {
  const entries = Object.entries(guards).map(([name, guard]) => [name, object[name], guard(object[name])] as const);
  if (!entries.every(([, , isFine]) => isFine)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has just been found to be of its kind
  return Object.fromEntries(entries) as Guarded<Guards>;
}
