import { records } from '#generated/rules.ts';
import type { OperationKey } from '../../core/operations.ts';

/** How two values of a member are compared. */
export type Likeness = 'same' | 'time' | 'number' | 'decimal' | 'count' | 'alias' | 'among';

/** A member of a record and how its values are compared. */
export interface RecordMember {
  readonly member: string;
  readonly as: Likeness;
}

/** What holds of one kind of record in time. */
export interface RecordRule {
  readonly record: string;
  /** Member that carries the id. */
  readonly id: string;
  /** Operations whose answers show it, and the member of the list where they show several. */
  readonly shownBy: readonly { readonly operation: OperationKey; readonly items?: string }[];
  /** Never changes. */
  readonly constant: readonly RecordMember[];
  /** Null at first, then one value for good. */
  readonly settled: readonly RecordMember[];
  /** Never falls. */
  readonly growing: readonly RecordMember[];
  /** What is not null at the end stays so. */
  readonly final: readonly RecordMember[];
  /** Where its state stands, and the words after which nothing follows. */
  readonly states?: { readonly member: string; readonly ends: readonly (string | boolean)[] };
  /** Members with times in ascending order. */
  readonly order: readonly string[];
  readonly stoppedBy: readonly OperationKey[];
  readonly removedBy: readonly OperationKey[];
}

/** How a page of a list says what it is. */
export interface ListRule {
  readonly operation: OperationKey;
  readonly items: string;
  readonly id: string;
  /** Query members of the size and the number of the page. */
  readonly size: string;
  readonly number?: string;
  readonly total?: string;
  /** Members of the answer that show both, where their names differ. */
  readonly shows?: { readonly size: string; readonly number: string };
  /** Query members that leave only what is ours. */
  readonly ours: readonly string[];
}

/** Every kind of record. */
export const recordRules: readonly RecordRule[] = records.records;

/** Every list that says what it is. */
export const listRules: readonly ListRule[] = records.lists;
