import type { ConsoleDay } from '../../../contract/console-messages.ts';

/** What is summed up of days. */
export type DaySum = Exclude<keyof ConsoleDay, 'day'> | 'totalMicros';

/** The sum of one member of all days; `totalMicros` is that of all kinds of costs. */
export function totalOf(days: readonly ConsoleDay[], member: DaySum): number {
  return days.reduce((sum, day) => sum + (member === 'totalMicros' ? totalOfDay(day) : day[member]), 0);
}

/** Everything that a day has cost, in micro-dollars. */
export function totalOfDay({ llmMicros, simulatedMicros, browserMicros, proxyMicros }: ConsoleDay): number {
  return llmMicros + simulatedMicros + browserMicros + proxyMicros;
}
