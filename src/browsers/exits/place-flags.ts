import type { Place } from './place.ts';

/**
 * What tells a Chromium the language of its place. One language: service workers of the headless shell know no list, and pages,
 * workers and requests have to agree.
 */
export function placeFlags(place: Place | null): string[] {
  return place === null ? [] : [`--lang=${place.language}`, `--accept-lang=${place.language}`];
}
