import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** What Chromium answers to GET /json/version, from what it answers to Browser.getVersion; `address` is the one to connect to. */
export function versionAnswer(version: JsonObject, address: string): JsonObject {
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

/** What Chromium answers to GET /json/list, for pages, from what it answers to Target.getTargets; they are reached through the browser's address. */
export function listAnswer({ targetInfos }: JsonObject): JsonObject[] {
  const infos: JsonValue[] = Array.isArray(targetInfos) ? targetInfos : [];
  return infos
    .filter(isJsonObject)
    .flatMap(({ targetId = '', type = '', title = '', url = '' }) =>
      type === 'page' ? [{ description: '', id: targetId, title, type, url }] : [],
    );
}
