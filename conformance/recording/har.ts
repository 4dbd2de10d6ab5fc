import type { JsonObject } from '../core/json.ts';

/** A name and its value. */
export interface HarPair {
  name: string;
  value: string;
}

/** One entry of a HAR 1.2, as far as this suite writes it. */
export interface HarEntry {
  startedDateTime: string;
  time: number;
  request: {
    method: string;
    url: string;
    httpVersion: string;
    cookies: [];
    headers: HarPair[];
    queryString: HarPair[];
    headersSize: -1;
    bodySize: number;
    postData?: { mimeType: string; text: string };
  };
  response: {
    status: number;
    statusText: string;
    httpVersion: string;
    cookies: [];
    headers: HarPair[];
    content: { size: number; mimeType: string; text: string };
    redirectURL: string;
    headersSize: -1;
    bodySize: number;
    _error?: string;
  };
  cache: Record<string, never>;
  timings: { send: number; wait: number; receive: number };
  _resourceType?: 'websocket';
  _webSocketMessages?: { type: 'send' | 'receive'; time: number; opcode: 1; data: string; _svc?: JsonObject }[];
  _svc: JsonObject;
}
