import type { RuleBook } from '#contract/rule-book.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';

/** Location of a browser, as its pages see it. */
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

/** Returns the location for a country code. Throws for a code that is missing in the table, which is a bug. */
export function getPlace({ countries }: RuleBook['countries'], country: string): Place {
  const row = countries.find(({ code }) => code === country);
  if (row === undefined) throw new Error(`found no country ${country} in the table of places`);
  const { language, timeZone, latitude, longitude } = row;
  return { language, timeZone, latitude, longitude };
}

/**
 * Returns Chromium's flags for the language of a location; none for null. They set a single language: service workers
 * of the headless shell ignore lists, and pages, workers and requests must agree.
 */
export function placeFlags(place: Place | null): string[] {
  return place === null ? [] : [`--lang=${place.language}`, `--accept-lang=${place.language}`];
}

/**
 * Returns environment variables for the time zone and number format of a location. They apply to every process of
 * Chromium, so pages and web workers agree.
 */
export function placeEnvironment({ language, timeZone }: Place): Record<string, string> {
  const locale = `${language.replace('-', '_')}.UTF-8`;
  return { LANG: locale, LC_ALL: locale, LANGUAGE: language, TZ: timeZone };
}

/**
 * Overrides the geolocation that pages of a browser report with that of the browser's location. Sets this override
 * again after a client has changed it.
 */
export interface PositionKeeper {
  /**
   * Creates an observer of one client. A geolocation that the client has set in a page is replaced when the client
   * clears it, detaches from the page or leaves.
   */
  join(): PositionGuest;
}

/** Observer of the geolocation commands of one client. */
export interface PositionGuest {
  /** Inspects a command that was sent to the browser. */
  sent(command: CdpMessage): void;
  /** Inspects a message that the client receives. */
  received(message: CdpMessage): void;
  /** Called when the client has left; restores the geolocation of the pages that the client had overridden. */
  left(): void;
}

/** Accuracy of the geolocation in metres: typical of a location derived from an IP address. */
const accuracyM = 10_000;
const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{ type: 'page' }] };
const nobody: PositionGuest = { sent: () => undefined, received: () => undefined, left: () => undefined };

/**
 * Overrides the geolocation of every page, in all browser contexts, as soon as the page is created; does nothing for a
 * null `place`. Chromium has no flag for this. A page that asks for its position before the override waits for it.
 * Whether a page receives the position still depends on its permission.
 */
export async function keepPosition(mux: CdpMux, place: Place | null): Promise<PositionKeeper> {
  if (place === null) return { join: () => nobody };
  const position = { latitude: place.latitude, longitude: place.longitude, accuracy: accuracyM };
  const pages = new Map<string, string>();
  // The error of a closed page is irrelevant, because it needs no position.
  const put = (sessionId: string): void =>
    void channel.ask({ method: 'Emulation.setGeolocationOverride', params: position, sessionId });
  const putBack = (targetId: string): void => {
    for (const [sessionId, target] of pages) if (target === targetId) put(sessionId);
  };
  const channel = await openCommandChannel(mux, ({ method, params = {} }) => {
    const sessionId = text(params['sessionId']);
    if (method === 'Target.detachedFromTarget') pages.delete(sessionId);
    if (method !== 'Target.attachedToTarget') return;
    pages.set(sessionId, getTarget(params));
    put(sessionId);
  });
  await channel.ask({ method: 'Target.setAutoAttach', params: attach });
  return { join: () => follow(putBack) };
}

function follow(putBack: (targetId: string) => void): PositionGuest {
  const targets = new Map<string, string>();
  /** Ids of the pages whose geolocation this client overrides. */
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
      if (method === 'Target.attachedToTarget') targets.set(text(params['sessionId']), getTarget(params));
      if (method === 'Target.detachedFromTarget') targets.delete(text(params['sessionId']));
    },
    left: () => moved.forEach(letGo),
  };
}

function getTarget({ targetInfo }: JsonObject): string {
  return isJsonObject(targetInfo) ? text(targetInfo['targetId']) : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
