import { type Problem, problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { addressGroup } from '#lib/address-group.ts';
import type { Clock } from '#lib/clock.ts';
import { createWindows } from '../../rates.ts';

const secondMs = 1000;

/** Keeps who guesses from guessing on. */
export interface RefusedLogins {
  /** The refusal of a further try from an address, or null. */
  refusalOf(address: string): Problem | null;
  /** Counts a login that was refused. */
  note(address: string): void;
}

/** Counts refused logins of an address in windows of time; who has too many has to wait for the next window, right or wrong. */
export function createRefusedLogins(clock: Pick<Clock, 'now'>, rules: RuleBook): RefusedLogins {
  const windows = createWindows(clock, getLimit(rules, 'consoleLoginWindow'));
  const max = getLimit(rules, 'consoleLogins');
  return {
    refusalOf(address) {
      if (windows.count(addressGroup(address)) < max) return null;
      return problem('too_many_logins', { seconds: String(Math.ceil(windows.restMs() / secondMs)) });
    },
    note: (address) => void windows.add(addressGroup(address)),
  };
}
