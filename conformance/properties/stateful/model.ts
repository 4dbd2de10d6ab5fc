import { describeAnswer, type Exchange } from '../../core/exchange.ts';
import type { Moment } from './moment.ts';

/** Why no order of events explains what was seen. */
export interface Violation {
  /** Kebab-case; a script is shortened only as long as it shows the same breach. */
  rule: string;
  /** True when only a source beyond the contract speaks of it. */
  isBeyond: boolean;
  /** What was found and what was expected. */
  message: string;
  exchange: Exchange;
}

/** What one moment leads to: the knowledge afterwards, or a breach. */
export type Outcome<S> = { state: S } | { violation: Violation };

/** What is known of a thing, and how an answered request changes it. */
export interface Model<S> {
  /** Known before anything was sent. */
  begin: S;
  step(state: S, moment: Moment): Outcome<S>;
}

/** What a run judges. */
export interface Rules {
  /** Also what goes beyond the contract. */
  beyond: boolean;
  /** A deadline of the suite says something of the target. */
  isControlled: boolean;
}

/** Builds the breaches of one moment. */
export function violationAt(
  moment: Moment,
  { rule, isBeyond, message }: Pick<Violation, 'rule' | 'isBeyond' | 'message'>,
): { violation: Violation } {
  return { violation: { rule, isBeyond, message, exchange: moment.exchange } };
}

/** "<operation> answered 409". */
export function told({ exchange }: Moment): string {
  return `${exchange.operation} ${describeAnswer(exchange)}`;
}
