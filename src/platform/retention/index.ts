/*
 * Retention: what may go when it is old (spec/rules/retention.yaml), how it is found, and a sweeper that removes it, a bounded part at
 * a time. Nothing goes without a period that the operator gave. Whatever an answer refers to stays: a thing goes as a whole, or the
 * answers that named it are made of rows that are gone with it.
 */
export { createSweeper, type Sweeper } from './sweep.ts';
export { type Old, findOld } from './find-old.ts';
export { type Periods, type RetentionKind, retentionOfDays } from './periods.ts';
