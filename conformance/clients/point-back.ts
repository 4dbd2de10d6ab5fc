import { type JsonValue, isJsonObject, parseJson } from '../core/json.ts';
import { jsonAnswer } from './interference.ts';
import type { Answer } from './forward.ts';
import type { ClientExchange } from './recording.ts';

/** Members with signed URLs: the file store is another host than the service. */
const signed = new Set(['uploadUrl', 'downloadUrl', 'url', 'screenshotUrl', 'recordingUrl', 'recordingUrls']);

/** Base URLs to replace in answers, and their replacements. */
export interface Pointing {
  readonly from: string;
  readonly to: Readonly<Record<ClientExchange['host'], string>>;
  /** Text that is appended to the query of every signed address. */
  readonly mark: string;
}

/** Replaces the URLs of the service in an answer by URLs of the proxy. */
export function pointBack(answer: Answer, pointing: Pointing): Answer {
  const json = (answer.headers['content-type'] ?? '').includes('json') ? parseJson(answer.body.toString()) : undefined;
  if (json === undefined || !answer.body.includes(new URL(pointing.from).host)) return answer;
  return jsonAnswer(answer, pointed(json, '', pointing));
}

function pointed(value: JsonValue, name: string, pointing: Pointing): JsonValue {
  if (typeof value === 'string') return pointedText(value, name, pointing);
  if (Array.isArray(value)) return value.map((item) => pointed(item, name, pointing));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, pointed(member, key, pointing)]));
}

function pointedText(text: string, name: string, { from, to, mark }: Pointing): string {
  const { host, protocol } = new URL(from);
  const socket = protocol === 'https:' ? 'wss:' : 'ws:';
  if (text.startsWith(`${socket}//${host}/`))
    return text.replace(`${socket}//${host}`, to.service.replace('http', 'ws'));
  if (!text.startsWith(`${from}/`)) return text;
  if (!signed.has(name)) return text.replace(from, to.service);
  return `${text.replace(from, to.elsewhere)}${text.includes('?') ? mark : mark.replace('&', '?')}`;
}
