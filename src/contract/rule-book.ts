import { rules as ruleTables } from '#generated/rules.ts';

/** Every key that at least one member of a union has. */
type AnyKey<Union> = Union extends unknown ? keyof Union : never;

/** The types that a key has in the members of a union that have it. */
type Member<Union, Key extends PropertyKey> = Union extends unknown
  ? Key extends keyof Union
    ? Union[Key]
    : never
  : never;

/** The keys that all members of a union have; behind Exclude, because a mapped type over `keyof` would split the union. */
type CommonKey<Union> = Exclude<keyof Union, never>;

/** One object type for all rows of a table: what every row has stays required, what only some have becomes optional. */
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

/** A table's type without its literals, so that a copy with one flipped row still is one. */
type Widen<Type> = WidenValue<Exclude<Type, object>> | WidenObject<Extract<Type, object>>;

/**
 * All rule tables of spec/rules, keyed as in generated/rules.ts. A judgement takes the book as an argument: a broken
 * server is made from a copy with one flipped row.
 */
export type RuleBook = Widen<typeof ruleTables>;

/** The tables as they are written in spec/rules. */
export const defaultRules: RuleBook = ruleTables;

/** The number of a row of spec/rules/limits.yaml, in the row's unit; throws when there is no such row with one value. */
export function limitOf(rules: RuleBook, name: string): number {
  const row = rules.limits.limits.find((limit) => limit.limit === name);
  if (row?.value === undefined) throw new Error(`limits: no value for ${name}`);
  return row.value;
}

/** The number of a row of spec/rules/limits.yaml, from where the backend has always asked for it. */
