import { type JsonObject, isJsonObject } from '../../core/json.ts';

/** Returns an optional member of a report as an object; undefined for any other value. */
export function objectAt(holder: object, name: string): JsonObject | undefined {
  const value: unknown = Object.entries(holder).find(([key]) => key === name)?.[1];
  return isJsonObject(value) ? value : undefined;
}

/** Returns the objects in an optional list of a report. */
export function objectsAt(holder: object, name: string): JsonObject[] {
  const value: unknown = Object.entries(holder).find(([key]) => key === name)?.[1];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** Returns the texts in an optional list of a report. */
export function textsAt(holder: object, name: string): string[] {
  const value: unknown = Object.entries(holder).find(([key]) => key === name)?.[1];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
