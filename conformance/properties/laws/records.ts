import { records } from '#generated/rules.ts';
import type { OperationKey } from '../../core/operations.ts';

/**
 * Rule for comparing two values of a member. `same`: equal JSON; `time`, `number` and `decimal`: equal as such;
 * `count`: lists of equal length; `alias`: equal models after alias resolution; `among`: each item of the second list
 * is in the first.
 */
export type Likeness = 'same' | 'time' | 'number' | 'decimal' | 'count' | 'alias' | 'among';

/** A member of a record and the comparison of its values. */
export interface RecordMember {
  readonly member: string;
  readonly as: Likeness;
}

/** Rules that all observations of one kind of record must satisfy over time. */
export interface RecordRule {
  readonly record: string;
  /** Member with the id. */
  readonly id: string;
  /**
   * Operations whose responses show the record. `items` is the member with the list, if the response contains several
   * records.
   */
  readonly shownBy: readonly { readonly operation: OperationKey; readonly items?: string }[];
  /** Members that never change. */
  readonly constant: readonly RecordMember[];
  /** Members that are null at first and must then keep the first value that is not null. */
  readonly settled: readonly RecordMember[];
  /** Members that never decrease. */
  readonly growing: readonly RecordMember[];
  /** Members that must no longer change once an observation after the end has shown a value that is not null. */
  readonly final: readonly RecordMember[];
  /** Member with the state, and its terminal values. */
  readonly states?: { readonly member: string; readonly ends: readonly (string | boolean)[] };
  /** Members with times in ascending order. */
  readonly order: readonly string[];
  readonly stoppedBy: readonly OperationKey[];
  readonly removedBy: readonly OperationKey[];
}

/** The pagination members of a list. */
export interface ListRule {
  readonly operation: OperationKey;
  readonly items: string;
  readonly id: string;
  /** Query parameter of the page size; `number` is the query parameter of the page number. */
  readonly size: string;
  readonly number?: string;
  readonly total?: string;
  /** Response members with the page size and the page number, if their names differ from the query parameters. */
  readonly shows?: { readonly size: string; readonly number: string };
  /**
   * Query parameters that restrict the list to resources of the suite. Only the total of a page that was requested with
   * such a parameter is checked, because other clients may create resources too.
   */
  readonly ours: readonly string[];
}

/** Rules for every kind of record. */
export const recordRules: readonly RecordRule[] = records.records;

/** Rules for every list with pagination members. */
export const listRules: readonly ListRule[] = records.lists;
