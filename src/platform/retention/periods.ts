import type { retention } from '#generated/rules.ts';

/** A kind of spec/rules/retention.yaml. */
export type RetentionKind = (typeof retention.kinds)[number]['kind'];

/** How long each kind is kept, in milliseconds; a kind that is not there is kept for ever. */
export type Periods = ReadonlyMap<RetentionKind, number>;
