import type { Violation, Model, Outcome } from './model.ts';
import type { Moment, Turn } from './moment.ts';

/**
 * Searches for an order of events under which the model accepts all responses. Concurrent requests may have either
 * order. Returns undefined if such an order exists, otherwise the violation at the first step that no order explains.
 */
export function explain<S>(model: Model<S>, turns: readonly Turn[]): (Violation & { turn: number }) | undefined {
  let states = [model.begin];
  for (const [index, turn] of turns.entries()) {
    const outcomes = states.flatMap((state) => listOrders(turn).map((order) => walk(model, state, order)));
    const legal = outcomes.flatMap((outcome) => ('state' in outcome ? [outcome.state] : []));
    const [violation] = outcomes.flatMap((outcome) => ('violation' in outcome ? [outcome.violation] : []));
    if (legal.length === 0 && violation !== undefined) return { ...violation, turn: index };
    states = distinct(legal);
  }
  return undefined;
}

function listOrders({ parts }: Turn): Moment[][] {
  return parts.length > 1 ? [parts.flat(), parts.toReversed().flat()] : [parts.flat()];
}

function walk<S>(model: Model<S>, begin: S, moments: readonly Moment[]): Outcome<S> {
  let state = begin;
  for (const moment of moments) {
    const outcome = model.step(state, moment);
    if ('violation' in outcome) return outcome;
    state = outcome.state;
  }
  return { state };
}

/**
 * Removes equal states. Two orders of a race often lead to the same state, and without this step the number of states
 * would double with every race.
 */
function distinct<S>(states: readonly S[]): S[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
}
