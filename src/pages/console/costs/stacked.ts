import type { AlignedData } from 'uplot';
import type { ConsoleDay } from '../../../contract/console-messages.ts';
import { totalOfDay } from './total-of.ts';

const microsPerUsd = 1_000_000;

/**
 * Days as bars that stand upon each other, in US dollars: the whole first, so that each smaller sum is drawn before it. The places of days are
 * their numbers from 0: midnight has another hour in another zone.
 */
export function stacked(days: readonly ConsoleDay[]): AlignedData {
  const column = (value: (day: ConsoleDay) => number): number[] => days.map((day) => value(day) / microsPerUsd);
  return [
    days.map((_day, index) => index),
    column(totalOfDay),
    column(({ llmMicros, simulatedMicros, browserMicros }) => llmMicros + simulatedMicros + browserMicros),
    column(({ llmMicros, simulatedMicros }) => llmMicros + simulatedMicros),
    column(({ llmMicros }) => llmMicros),
  ];
}
