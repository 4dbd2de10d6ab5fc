import { type JsonObject, type JsonValue, isJsonObject } from '#domain/json.ts';
import type { HostedBrowser } from '../host.ts';
import { ask } from './ask.ts';

/** What Chromium answers to GET /json/version, with the public address as the one to connect to. */
export async function describeBrowser(browser: HostedBrowser, address: string): Promise<JsonObject> {
  const version = await ask(browser, 'Browser.getVersion');
  const { revision } = version;
  return {
    Browser: version['product'] ?? '',
    'Protocol-Version': version['protocolVersion'] ?? '',
    'User-Agent': version['userAgent'] ?? '',
    'V8-Version': version['jsVersion'] ?? '',
    'WebKit-Version': `537.36 (${typeof revision === 'string' ? revision : ''})`,
    webSocketDebuggerUrl: address,
  };
}

/** What Chromium answers to GET /json/list, for pages; they are reached through the browser's address. */
export async function describeTargets(browser: HostedBrowser): Promise<JsonObject[]> {
  const { targetInfos } = await ask(browser, 'Target.getTargets');
  const infos: JsonValue[] = Array.isArray(targetInfos) ? targetInfos : [];
  return infos
    .filter(isJsonObject)
    .flatMap(({ targetId = '', type = '', title = '', url = '' }) =>
      type === 'page' ? [{ description: '', id: targetId, title, type, url }] : [],
    );
}
