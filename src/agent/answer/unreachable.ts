/** Marks a branch that the types rule out; throws a TypeError if a value from outside gets there all the same. */
export function unreachable(value: never): never {
  throw new TypeError(`There is no branch for ${JSON.stringify(value)}.`);
}
