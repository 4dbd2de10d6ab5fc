import { isJsonObject } from '#lib/json.ts';

/**
 * Gives every schema below `node` that says `x-enum-from` its enumeration, in place, so that a name is written once, in
 * spec/rules. `namesOf` answers the names of a table such as `models.v3`; where it has none, the schema stays unlimited.
 */
export function fillEnums(node: unknown, namesOf: (table: string) => readonly string[]): void {
  visit(node, namesOf, new Set());
}

/** References may have been replaced by what they point to: the same object in several places, or in a circle. */
function visit(node: unknown, namesOf: (table: string) => readonly string[], seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  if (isJsonObject(node) && typeof node['x-enum-from'] === 'string') {
    const names = namesOf(node['x-enum-from']);
    if (names.length > 0) node['enum'] = [...names];
    delete node['x-enum-from'];
  }
  for (const member of Object.values(node)) visit(member, namesOf, seen);
}
