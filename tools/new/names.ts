/** `getThing` as `get-thing`, `PURGE-02` as `purge-02`. */
export function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
}

/** `purge-02` as `purge02`, `two-keys` as `twoKeys`. */
export function camelCase(kebab: string): string {
  return kebab.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
