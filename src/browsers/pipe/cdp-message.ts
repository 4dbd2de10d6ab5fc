import { isJsonObject, type JsonObject } from '#lib/json.ts';

/**
 * One message of the Chrome DevTools Protocol: a command (`id`, `method`), a reply (`id`, `result` or `error`)
 * or an event (`method`). `sessionId` is absent on the connection's own root session.
 */
export interface CdpMessage {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: JsonObject;
  /** Params of a command as JSON that nobody has read; they count in the place of `params`. */
  unreadParams?: Buffer;
  result?: JsonObject;
  error?: JsonObject;
}

/** Reads one message from its JSON text; throws a SyntaxError or TypeError when the text is not a JSON object. */
export function parseCdpMessage(text: string): CdpMessage {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError('A DevTools message must be a JSON object.');
  return value;
}
