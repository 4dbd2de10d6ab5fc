import type { Finding } from '../core/check.ts';
import { isJsonObject } from '../core/json.ts';
import { pointerTo, valueAtPointer } from '../core/json-pointer.ts';

/**
 * JSON pointer of the member that a finding is about: what the check has said, or what its message begins with, as far as
 * the body bears it out. Undefined when no single member is at fault.
 */
export function offendingMember({ member, message, exchange }: Finding): string | undefined {
  if (member !== undefined) return member;
  const json = exchange?.json;
  if (json === undefined) return undefined;
  const named = bySchema(message) ?? atTheBeginning(message);
  if (named !== undefined && valueAtPointer(json, named) !== undefined) return named;
  const missing = /\bhas no (\w+)\b/.exec(message)?.[1];
  const isMissing = missing !== undefined && isJsonObject(json) && json[missing] === undefined;
  return isMissing ? pointerTo(missing) : undefined;
}

// A message of a schema begins with the place: "/items/0/id must be string".
function bySchema(message: string): string | undefined {
  return /(?:^|: )((?:\/[^/\s]+)+) must /.exec(message)?.[1];
}

function atTheBeginning(message: string): string | undefined {
  const path = /^(\w+(?:\.\w+)*) (?:is|of|has|shows|was)\b/.exec(message)?.[1];
  return path === undefined ? undefined : pointerTo(path);
}
