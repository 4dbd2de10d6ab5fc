import { pricing } from '../../generated/rules.ts';
import type { JsonObject } from '../../src/lib/json.ts';

const minuteMs = 60_000;
const minutesPerHour = 60;

/** What is wrong with the bill of a stopped browser, or null: started minutes between its two times, at least one, and nothing else. */
export function billFault(record: JsonObject): string | null {
  const usedMs = timeOf(record, 'finishedAt') - timeOf(record, 'startedAt');
  const minutes = Math.max(Math.ceil(usedMs / minuteMs), pricing.browser.minimumMinutes);
  const micros = Math.ceil((minutes * pricing.browser.microUsdPerHour) / minutesPerHour);
  const shown = Math.round(Number(record['browserCost']) * 1_000_000);
  if (usedMs <= 0) return `ended ${usedMs} ms after its start`;
  return shown === micros ? null : `costs ${shown} micro-dollars for ${minutes} minutes, expected ${micros}`;
}

function timeOf(record: JsonObject, member: string): number {
  const value = record[member];
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
