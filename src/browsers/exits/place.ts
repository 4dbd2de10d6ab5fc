import type { RuleBook } from '#contract/rule-book.ts';

/** Where a browser stands, as its pages read it. */
export interface Place {
  /** Language and region (BCP 47), for example `de-DE`. */
  readonly language: string;
  /** Name of the IANA time zone. */
  readonly timeZone: string;
  /** Degrees north, -90 to 90. */
  readonly latitude: number;
  /** Degrees east, -180 to 180. */
  readonly longitude: number;
}

/** The place of a country, by a code of ProxyCountryCode. Throws for a code that the table does not have, which is a bug. */
export function placeOf({ countries }: RuleBook['countries'], country: string): Place {
  const row = countries.find(({ code }) => code === country);
  if (row === undefined) throw new Error(`found no country ${country} in the table of places`);
  const { language, timeZone, latitude, longitude } = row;
  return { language, timeZone, latitude, longitude };
}
