import { type JsonValue, isJsonObject } from '#lib/json.ts';

/** How much two bodies have in common, from 0 to 1: members that are in both count, and count again where their values are the same. */
export function similarity(one: JsonValue | undefined, other: JsonValue | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 1 : 0;
  const [left, right] = [leavesOf(one), leavesOf(other)];
  const names = new Set([...left.keys(), ...right.keys()]);
  if (names.size === 0) return 1;
  let common = 0;
  for (const name of names) {
    if (left.has(name) && right.has(name)) common += left.get(name) === right.get(name) ? 2 : 1;
  }
  return common / (2 * names.size);
}

/** Every value that holds no others, as JSON, by its place. */
function leavesOf(value: JsonValue): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (inner: JsonValue, place: string): void => {
    if (Array.isArray(inner) && inner.length > 0)
      for (const [index, one] of inner.entries()) visit(one, `${place}/${index}`);
    else if (isJsonObject(inner) && Object.keys(inner).length > 0)
      for (const [name, one] of Object.entries(inner)) visit(one, `${place}/${name}`);
    else leaves.set(place, JSON.stringify(inner));
  };
  visit(value, '');
  return leaves;
}
