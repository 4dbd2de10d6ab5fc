import { describe, expect, it } from 'vitest';
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { defaultRules } from '#contract/rule-book.ts';
import { getPlace } from '../launch/exit-location.ts';

const { countries } = defaultRules.countries;
/** Current region codes of countries that the contract lists under an older or unofficial code. */
const regions: Readonly<Record<string, string>> = { uk: 'GB', an: 'CW', cs: 'RS' };
const hourMs = 3_600_000;

/** Returns the hours by which a time zone is ahead of UTC in January. */
function getOffset(timeZone: string): number {
  const at = new Date('2026-01-15T00:00:00Z');
  const there = new Date(`${at.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
  return (there.getTime() - at.getTime()) / hourMs;
}

function canonical(timeZone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
}

/** Returns the time zones of a region; an empty list when the runtime does not provide them. */
function getZones(region: string): string[] {
  const locale = new Intl.Locale(`und-${region}`);
  const read: unknown = Reflect.get(locale, 'getTimeZones');
  const zones: unknown = typeof read === 'function' ? read.call(locale) : [];
  return Array.isArray(zones) ? zones.map((zone) => canonical(String(zone))) : [];
}

it('has a place for every code of ProxyCountryCode and for no other', () => {
  expect(countries.map(({ code }) => code)).toEqual(v4.components.schemas.ProxyCountryCode.enum);
  expect(() => getPlace(defaultRules.countries, 'gb')).toThrow('found no country gb');
});

describe.each([...countries])('$code', ({ code, language, timeZone, longitude }) => {
  const region = regions[code] ?? code.toUpperCase();

  it('speaks a language of its region, in a zone of its region, which lies where its capital does', () => {
    expect(Intl.getCanonicalLocales(language)).toEqual([language]);
    expect(new Intl.Locale(language).region).toBe(region);
    const zones = getZones(region);
    if (zones.length > 0) expect(zones).toContain(canonical(timeZone));
    // The clock of a zone differs from solar time by few hours. A wrong sign or swapped coordinates differ by more.
    const apart = ((((getOffset(timeZone) - longitude / 15) % 24) + 36) % 24) - 12;
    expect(Math.abs(apart)).toBeLessThan(3.5);
  });
});
