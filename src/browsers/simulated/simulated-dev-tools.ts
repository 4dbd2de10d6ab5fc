import type { JsonObject } from '#lib/json.ts';
import type { CdpClient, CdpListener } from '../pipe/cdp-client.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import type { CookieJar } from './cookie-jar.ts';

/** The DevTools of a simulated browser: enough to connect to it and to see that it is simulated. */
export interface SimulatedDevTools {
  /** Joins a client. */
  attach(listener: CdpListener): CdpClient;
  /** Tells every client that the browser has ended. */
  end(reason: string): void;
}

const VERSION = {
  protocolVersion: '1.3',
  product: 'SimulatedChrome/1.0.0.0',
  revision: '@0',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) SimulatedChrome/1.0.0.0',
  jsVersion: '0.0.0',
};
const CONTEXT = 'SIMULATED-CONTEXT';
const NOT_SIMULATED = -32_601;

/**
 * Answers the few commands that look at a browser, and those on its cookies; everything else gets an error that says why.
 * `pageUrl` is the one tab's.
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
        // replyTo does not reject: a tab that has ended answers as one without an address.
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
  const result = sessionId === undefined ? (cookieResult(command, jar) ?? resultOf(method ?? '', url)) : null;
  if (result !== null) return { ...head, result };
  const message = `'${method}' is not simulated: this browser has no Chromium behind it.`;
  return { ...head, error: { code: NOT_SIMULATED, message } };
}

/** The result of a command on cookies, or null for any other, and for cookies that are none. */
function cookieResult({ method, params }: CdpMessage, jar: CookieJar): JsonObject | null {
  if (method === 'Storage.getCookies') return { cookies: [...jar.all()] };
  if (method === 'Storage.setCookies') return jar.set(params?.['cookies']) ? {} : null;
  if (method !== 'Storage.clearCookies') return null;
  jar.clear();
  return {};
}

/** The result of a command of the root session, or null for one that is not simulated. */
function resultOf(method: string, url: string): JsonObject | null {
  const page = { targetId: 'SIMULATED-PAGE', type: 'page', title: '', url, attached: false, canAccessOpener: false };
  switch (method) {
    case 'Browser.getVersion':
      return VERSION;
    case 'Target.getTargets':
      return { targetInfos: [{ ...page, browserContextId: CONTEXT }] };
    case 'Target.getBrowserContexts':
      return { browserContextIds: [], defaultBrowserContextId: CONTEXT };
    case 'Target.setDiscoverTargets':
    case 'Target.setAutoAttach':
      return {};
    default:
      return null;
  }
}
