import { describeAnswer, type Exchange, isCapacity } from '../../core/exchange.ts';
import type { Moment } from './moment.ts';

/** A response that the model does not accept, and the rule that it violates. */
export interface Violation {
  /** Rule name in kebab case; shrinking keeps only scripts with the same violation. */
  rule: string;
  /** True if only a source beyond the contract states the rule. */
  isBeyond: boolean;
  /** Message that names the found value and the expected value. */
  message: string;
  exchange: Exchange;
}

/** Result of applying one response to the model: the next state, or a violation. */
export type Outcome<S> = { state: S } | { violation: Violation };

/** A model: the known state of a resource, and its change by each response. */
export interface Model<S> {
  /** State before the first request. */
  begin: S;
  step(state: S, moment: Moment): Outcome<S>;
}

/** Options that determine which rules a stateful model judges. */
export interface Rules {
  /** True if rules beyond the contract are judged as well. */
  beyond: boolean;
  /**
   * True for a controlled target (`isControlled` of `target-facts.ts`): an accepted stop without effect at the suite's
   * deadline is then a violation.
   */
  isControlled: boolean;
}

/** Creates a violation at a response. */
export function violationAt(
  moment: Moment,
  { rule, isBeyond, message }: Pick<Violation, 'rule' | 'isBeyond' | 'message'>,
): { violation: Violation } {
  return { violation: { rule, isBeyond, message, exchange: moment.exchange } };
}

/**
 * Returns true if a moment after the deadline shows that an accepted stop had no effect. A target that did not answer,
 * or answered about its load, shows nothing.
 */
export function isStopIgnored(isStopping: boolean, { act, exchange }: Moment, { isControlled }: Rules): boolean {
  return act === 'late' && isStopping && isControlled && !isCapacity(exchange.status);
}

/** Returns a description of a response, such as "stopSession answered 409". */
export function describeMoment({ exchange }: Moment): string {
  return `${exchange.operation} ${describeAnswer(exchange)}`;
}
