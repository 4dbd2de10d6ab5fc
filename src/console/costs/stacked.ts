import type { AlignedData } from 'uplot';
import type { ConsoleDay } from '../../domain/console-messages.ts';

const microsPerUsd = 1_000_000;

/**
 * Days as bars that stand upon each other, in US dollars: the whole first, so that each smaller sum is drawn before it. The places of days are
 * their numbers from 0: midnight has another hour in another zone.
 */
export function stacked(days: readonly ConsoleDay[]): AlignedData {
  const column = (value: (day: ConsoleDay) => number): number[] => days.map((day) => value(day) / microsPerUsd);
  return [
    days.map((_day, index) => index),
    column(({ llmMicros, browserMicros, proxyMicros }) => llmMicros + browserMicros + proxyMicros),
    column(({ llmMicros, browserMicros }) => llmMicros + browserMicros),
    column(({ llmMicros }) => llmMicros),
  ];
}
