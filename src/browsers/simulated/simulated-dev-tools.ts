import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { CdpClient, CdpListener, CdpMessage } from '../pipe/cdp-client.ts';

/**
 * DevTools of a simulated browser. A client can connect, read and set cookies, and see from the version that the
 * browser is simulated.
 */
export interface SimulatedDevTools {
  /** Attaches a client. */
  attach(listener: CdpListener): CdpClient;
  /** Notifies every client that the browser has ended. */
  end(reason: string): void;
}

const version = {
  protocolVersion: '1.3',
  product: 'SimulatedChrome/1.0.0.0',
  revision: '@0',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) SimulatedChrome/1.0.0.0',
  jsVersion: '0.0.0',
};
/** Id of the browser session, the only DevTools session of a simulated browser. */
const browserSession = 'SIMULATED-BROWSER-SESSION';
const context = 'SIMULATED-CONTEXT';
const notSimulated = -32_601;

/**
 * Creates DevTools of a simulated browser. They answer commands about the browser, its only tab and its cookies; other
 * commands get an error with a reason. `pageUrl` returns the URL of the tab.
 */
export function createSimulatedDevTools(pageUrl: () => Promise<string>, jar: CookieJar): SimulatedDevTools {
  const listeners = new Set<CdpListener>();
  return {
    attach(listener) {
      listeners.add(listener);
      const answer = async (command: CdpMessage): Promise<void> => {
        const reply = await replyTo(command, pageUrl, jar);
        if (listeners.has(listener)) listener.message(reply);
      };
      return {
        // `replyTo` does not reject: it uses an empty URL for an ended browser.
        send: (command) => void answer(command),
        ready: () => null,
        unanswered: () => 0,
        close: async () => void listeners.delete(listener),
      };
    },
    end(reason) {
      for (const listener of listeners) listener.closed(reason);
      listeners.clear();
    },
  };
}

async function replyTo(command: CdpMessage, pageUrl: () => Promise<string>, jar: CookieJar): Promise<CdpMessage> {
  const { id, method, sessionId } = command;
  const head = { ...(id === undefined ? {} : { id }), ...(sessionId === undefined ? {} : { sessionId }) };
  const url = await pageUrl().catch(() => '');
  const isOfBrowser = sessionId === undefined || sessionId === browserSession;
  const result = isOfBrowser ? (cookieResult(command, jar) ?? getResult(method ?? '', url)) : null;
  if (result !== null) return { ...head, result };
  const message = `'${method}' is not simulated: this browser has no Chromium behind it.`;
  return { ...head, error: { code: notSimulated, message } };
}

/** Executes a cookie command and returns its result. Returns null for other commands and for invalid cookies. */
function cookieResult({ method, params }: CdpMessage, jar: CookieJar): JsonObject | null {
  if (method === 'Storage.getCookies') return { cookies: [...jar.all()] };
  if (method === 'Storage.setCookies') return jar.set(params?.['cookies']) ? {} : null;
  if (method !== 'Storage.clearCookies') return null;
  jar.clear();
  return {};
}

/** Returns the result of a simulated command that addresses the browser; null for every command not listed here. */
function getResult(method: string, url: string): JsonObject | null {
  const page = { targetId: 'SIMULATED-PAGE', type: 'page', title: '', url, attached: false, canAccessOpener: false };
  switch (method) {
    case 'Browser.getVersion':
      return version;
    case 'Target.getTargets':
      return { targetInfos: [{ ...page, browserContextId: context }] };
    case 'Target.getTargetInfo':
      return { targetInfo: { ...page, targetId: 'SIMULATED-BROWSER', type: 'browser', url: '', attached: true } };
    case 'Target.getBrowserContexts':
      return { browserContextIds: [], defaultBrowserContextId: context };
    case 'Target.attachToBrowserTarget':
      return { sessionId: browserSession };
    case 'Browser.setDownloadBehavior':
    case 'Target.detachFromTarget':
    case 'Target.setDiscoverTargets':
    case 'Target.setAutoAttach':
      return {};
    default:
      return null;
  }
}

/** Cookies of a simulated browser. Only DevTools clients and a loaded profile set cookies; simulated pages set none. */
export interface CookieJar {
  /** Returns all cookies, the oldest first. */
  all(): readonly JsonObject[];
  /**
   * Adds cookies like Storage.setCookies, and replaces cookies with the same name, domain and path. Returns false
   * without changes when `cookies` is no list or a cookie is invalid.
   */
  set(cookies: JsonValue | undefined): boolean;
  clear(): void;
}

/** Creates a cookie jar with initial cookies. */
export function createCookieJar(held: readonly JsonObject[] = []): CookieJar {
  let jar = [...held];
  return {
    all: () => jar,
    set(cookies) {
      const given = Array.isArray(cookies) ? cookies.map(cookieFrom) : [null];
      const added = given.filter((cookie) => cookie !== null);
      if (added.length < given.length) return false;
      for (const cookie of added) jar = [...jar.filter((other) => getName(other) !== getName(cookie)), cookie];
      return true;
    },
    clear() {
      jar = [];
    },
  };
}

/** Returns a text that identifies a cookie by its name, domain and path. */
function getName({ name, domain, path }: JsonObject): string {
  return JSON.stringify([name, domain, path]);
}

/**
 * Converts a cookie from the format of Storage.setCookies to that of Storage.getCookies. Returns null for a cookie that
 * lacks a name, a value, or both a domain and a URL.
 */
function cookieFrom(given: JsonValue): JsonObject | null {
  if (!isJsonObject(given)) return null;
  const { name, value, url, domain = getHost(url), path = '/', expires } = given;
  if (typeof name !== 'string' || typeof value !== 'string' || typeof domain !== 'string') return null;
  const session = typeof expires !== 'number' || expires < 0;
  const { url: _place, ...rest } = given;
  return { ...rest, domain, path, expires: session ? -1 : expires, size: name.length + value.length, session };
}

function getHost(url: JsonValue | undefined): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
}
