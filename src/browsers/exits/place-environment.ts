import type { Place } from './place.ts';

/** What tells every process of a Chromium its zone and the form of its numbers and dates, workers of all kinds included. */
export function placeEnvironment({ language, timeZone }: Place): Record<string, string> {
  const locale = `${language.replace('-', '_')}.UTF-8`;
  return { LANG: locale, LC_ALL: locale, LANGUAGE: language, TZ: timeZone };
}
