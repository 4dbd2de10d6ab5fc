import { type Violation, type Rules, violationAt, describeMoment } from './model.ts';
import type { Act, Moment, Shown } from './moment.ts';
import { succeeded, isCapacity } from '../../core/exchange.ts';
import { isSame } from '../../core/json.ts';

/** Known state of a record, common to every kind of resource. */
export interface Known {
  isRemoved: boolean;
  last: Shown | null;
  /** The first snapshot that showed an end. */
  end: Shown | null;
}

/** Initial state: no response has shown the resource yet. */
export const nothingKnown: Known = { isRemoved: false, last: null, end: null };

/**
 * Returns the violation of a rule beyond the contract that applies to every kind of resource. Undefined if the response
 * complies, or if such rules are not judged.
 */
export function recordViolation(known: Known, moment: Moment, rules: Rules): { violation: Violation } | undefined {
  if (!rules.beyond) return undefined;
  return (
    faultViolation(moment) ??
    removedViolation(known, moment) ??
    listViolation(known, moment) ??
    changeViolation(known, moment)
  );
}

/** Returns the known state after a response. */
export function nextKnowledge({ isRemoved: wasRemoved, last, end }: Known, { act, exchange, shown }: Moment): Known {
  const isRemoved = wasRemoved || (act === 'remove' && succeeded(exchange));
  if (shown === undefined || shown.phase === 'unknown' || !isOwn(act)) return { isRemoved, last, end };
  return { isRemoved, last: shown, end: end ?? (shown.phase === 'over' ? shown : null) };
}

/**
 * Returns true for a snapshot of the record itself. A list does not count, because it may be ahead of the record or lag
 * behind it.
 */
function isOwn(act: Act): boolean {
  return act === 'look';
}

/**
 * A server error is a violation in every state, except 501 for an operation that the target does not offer, and except
 * gateway errors, which say nothing about the service.
 */
function faultViolation(moment: Moment): { violation: Violation } | undefined {
  const { status } = moment.exchange;
  if (status < 500 || status === 501 || isCapacity(status)) return undefined;
  return beyond(moment, 'fault', `${describeMoment(moment)}; expected a success or a refusal in every state`);
}

function removedViolation({ isRemoved }: Known, moment: Moment): { violation: Violation } | undefined {
  return isRemoved ? afterRemoval(moment) : vanished(moment);
}

function afterRemoval(moment: Moment): { violation: Violation } | undefined {
  const { act, exchange, listed } = moment;
  if (act === 'list' && listed === true)
    return beyond(moment, 'removed-listed', 'the list still shows it after the deletion; expected that it is gone');
  if (!succeeded(exchange)) return undefined;
  if (act === 'look')
    return beyond(moment, 'removed-readable', `${describeMoment(moment)} after the deletion; expected 404`);
  return act === 'dispatch' || act === 'queue'
    ? beyond(moment, 'removed-used', `${describeMoment(moment)} after the deletion; expected a refusal`)
    : undefined;
}

function vanished(moment: Moment): { violation: Violation } | undefined {
  if (moment.act !== 'look' || ![404, 410].includes(moment.exchange.status)) return undefined;
  return beyond(moment, 'vanished', `${describeMoment(moment)} although it was not deleted; expected its record`);
}

/**
 * Returns a violation if a list shows a resource as active after its record has shown the end. The script has polled
 * the list until it agreed with the record, or until the settle deadline.
 */
function listViolation({ end, isRemoved }: Known, moment: Moment): { violation: Violation } | undefined {
  const { act, shown } = moment;
  if (act !== 'list' || end === null || isRemoved || shown?.phase !== 'open') return undefined;
  return beyond(moment, 'list-disagrees', `the list shows ${shown.status} after the end; expected ${end.status}`);
}

function changeViolation({ last, end }: Known, moment: Moment): { violation: Violation } | undefined {
  const { act, shown } = moment;
  if (shown === undefined || shown.phase === 'unknown' || !isOwn(act)) return undefined;
  const fallen = Object.entries(shown.counters).find(([name, value]) => value < (last?.counters[name] ?? value));
  if (fallen !== undefined) {
    const [name, value] = fallen;
    return beyond(
      moment,
      'falls',
      `${name} is ${value} after it was ${last?.counters[name]}; expected that it never falls`,
    );
  }
  const changed = end === null ? undefined : changedMember(end, shown);
  if (changed === undefined || end === null) return undefined;
  const [was, is] = [end.settled[changed], shown.settled[changed]].map((value) => JSON.stringify(value));
  return beyond(
    moment,
    'end-changes',
    `${changed} is ${is} after the end, where it was ${was}; expected that it stays`,
  );
}

/**
 * Returns the name of the first settled member whose value changed from one response to the next; undefined if none
 * did. It is no change if the earlier value is null or the later response lacks the member.
 */
export function changedMember(before: Shown, after: Shown): string | undefined {
  return Object.entries(before.settled).find(
    ([name, value]) => value !== null && after.settled[name] !== undefined && !isSame(after.settled[name], value),
  )?.[0];
}

function beyond(moment: Moment, rule: string, message: string): { violation: Violation } {
  return violationAt(moment, { rule, isBeyond: true, message });
}
