import type { RuleBook } from '#contract/rule-book.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';

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

/**
 * What tells a Chromium the language of its place. One language: service workers of the headless shell know no list, and pages,
 * workers and requests have to agree.
 */
export function placeFlags(place: Place | null): string[] {
  return place === null ? [] : [`--lang=${place.language}`, `--accept-lang=${place.language}`];
}

/** What tells every process of a Chromium its zone and the form of its numbers and dates, workers of all kinds included. */
export function placeEnvironment({ language, timeZone }: Place): Record<string, string> {
  const locale = `${language.replace('-', '_')}.UTF-8`;
  return { LANG: locale, LC_ALL: locale, LANGUAGE: language, TZ: timeZone };
}

/** Keeps the pages of a browser where it stands. */
export interface PositionKeeper {
  /** Follows a client: where it puts its pages holds until it takes that back or leaves. */
  join(): PositionGuest;
}

/** One client as the keeper sees it. */
export interface PositionGuest {
  /** Looks at a command that has gone to the browser. */
  sent(command: CdpMessage): void;
  /** Looks at a message that the client gets. */
  received(message: CdpMessage): void;
  /** The client has been detached, and with it what it wanted. */
  left(): void;
}

/** Metres: as exact as the place of an address is known. */
const ACCURACY_M = 10_000;
const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{ type: 'page' }] };
const nobody: PositionGuest = { sent: () => undefined, received: () => undefined, left: () => undefined };

/**
 * Tells every page of every client and context where it is, from the start on: Chromium has no flag for it, and one that knows no
 * position waits for one, so that a page which asks early is answered. Whether a page may ask is its permission, as always.
 */
export async function keepPosition(mux: CdpMux, place: Place | null): Promise<PositionKeeper> {
  if (place === null) return { join: () => nobody };
  const position = { latitude: place.latitude, longitude: place.longitude, accuracy: ACCURACY_M };
  const pages = new Map<string, string>();
  // A page that has gone meanwhile needs no position: the error that says so is not looked at.
  const put = (sessionId: string): void =>
    void channel.ask({ method: 'Emulation.setGeolocationOverride', params: position, sessionId });
  const putBack = (targetId: string): void => {
    for (const [sessionId, target] of pages) if (target === targetId) put(sessionId);
  };
  const channel = await openCommandChannel(mux, ({ method, params = {} }) => {
    const sessionId = text(params['sessionId']);
    if (method === 'Target.detachedFromTarget') pages.delete(sessionId);
    if (method !== 'Target.attachedToTarget') return;
    pages.set(sessionId, targetOf(params));
    put(sessionId);
  });
  await channel.ask({ method: 'Target.setAutoAttach', params: attach });
  return { join: () => follow(putBack) };
}

function follow(putBack: (targetId: string) => void): PositionGuest {
  const targets = new Map<string, string>();
  /** Pages that stand where this client wants them. */
  const moved = new Set<string>();
  const letGo = (targetId: string | undefined): void => {
    if (targetId !== undefined && moved.delete(targetId)) putBack(targetId);
  };
  return {
    sent({ method, sessionId = '', params = {} }) {
      const target = targets.get(sessionId);
      if (method === 'Emulation.setGeolocationOverride' && target !== undefined) moved.add(target);
      if (method === 'Emulation.clearGeolocationOverride') letGo(target);
      if (method === 'Target.detachFromTarget') letGo(targets.get(text(params['sessionId'])));
    },
    received({ method, params = {} }) {
      if (method === 'Target.attachedToTarget') targets.set(text(params['sessionId']), targetOf(params));
      if (method === 'Target.detachedFromTarget') targets.delete(text(params['sessionId']));
    },
    left: () => moved.forEach(letGo),
  };
}

function targetOf({ targetInfo }: JsonObject): string {
  return isJsonObject(targetInfo) ? text(targetInfo['targetId']) : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
