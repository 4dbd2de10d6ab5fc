import { rules as ruleTables } from '#generated/rules.ts';

/** All keys that occur in at least one member of a union. */
type AnyKey<Union> = Union extends unknown ? keyof Union : never;

/** Type of the values of a key, in those union members that have the key. */
type Member<Union, Key extends PropertyKey> = Union extends unknown
  ? Key extends keyof Union
    ? Union[Key]
    : never
  : never;

/**
 * Keys that all members of a union share. The Exclude is needed: with plain `keyof`, a mapped type would distribute
 * over the union.
 */
type CommonKey<Union> = Exclude<keyof Union, never>;

/** One object type for all rows of a table. Columns that every row has are required, all others are optional. */
type Row<Union> = { readonly [Key in CommonKey<Union>]: Widen<Member<Union, Key>> } & {
  readonly [Key in Exclude<AnyKey<Union>, keyof Union>]?: Widen<Member<Union, Key>>;
};

type WidenObject<Type> = [Type] extends [never]
  ? never
  : [Type] extends [readonly unknown[]]
    ? readonly Widen<Type[number]>[]
    : Row<Type>;

type WidenValue<Type> = Type extends string
  ? string
  : Type extends number
    ? number
    : Type extends boolean
      ? boolean
      : Type;

/** A table's type without literal types, so that a copy with a changed row has the same type. */
type Widen<Type> = WidenValue<Exclude<Type, object>> | WidenObject<Extract<Type, object>>;

/**
 * All rule tables of spec/rules, with the keys of generated/rules.ts. Functions take the tables as an argument, so that
 * tests can create a broken server from a changed copy.
 */
export type RuleBook = Widen<typeof ruleTables>;

/** The rule tables of spec/rules. */
export const defaultRules: RuleBook = ruleTables;

/**
 * Returns the value of a row of spec/rules/limits.yaml, in the row's unit. Throws when the row is missing or has no
 * single value.
 */
export function getLimit(rules: RuleBook, name: string): number {
  const row = rules.limits.limits.find((limit) => limit.limit === name);
  if (row?.value === undefined) throw new Error(`limits: no value for ${name}`);
  return row.value;
}
