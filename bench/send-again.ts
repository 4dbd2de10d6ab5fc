import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request as open } from 'node:http';
import { isJsonObject } from '#lib/json.ts';

/*
 * Child process `send-again.ts HAR`: replays the requests of a recording with Node's HTTP client and persistent
 * connections, and prints the duration in seconds. Each measurement starts a new process, like the compared run, so
 * that both begin uncompiled.
 */

/** A request of a recording. */
interface Recorded {
  readonly url: string;
  readonly options: RequestOptions;
  readonly body: string;
}

/** Number of concurrent requests, the same as the default of `svc check`. */
const concurrency = 8;

const recording: unknown = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
console.log(await sendAgain(recording, process.env['SERVICE_API_KEY'] ?? ''));

async function sendAgain(har: unknown, key: string): Promise<number> {
  const requests = getRequests(har, key);
  const begin = performance.now();
  const waiting = requests[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const one of waiting) await send(one);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return (performance.now() - begin) / 1000;
}

async function send({ url, options, body }: Recorded): Promise<void> {
  const sent = open(url, options);
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  if (response !== undefined) await once(response, 'end');
}

function getRequests(har: unknown, key: string): Recorded[] {
  const log = isJsonObject(har) ? har['log'] : undefined;
  const entries = isJsonObject(log) && Array.isArray(log['entries']) ? log['entries'] : [];
  return entries.flatMap((entry: unknown) => {
    const request = isJsonObject(entry) ? entry['request'] : undefined;
    return isJsonObject(request) ? [recorded(request, key)] : [];
  });
}

function recorded(request: Record<string, unknown>, key: string): Recorded {
  const reveal = (value: unknown): string => getText(value).replaceAll('$SERVICE_API_KEY', key);
  const lines: unknown[] = Array.isArray(request['headers']) ? request['headers'] : [];
  const headers = lines.flatMap((line): [string, string][] =>
    isJsonObject(line) ? [[getText(line['name']), reveal(line['value'])]] : [],
  );
  const { postData } = request;
  const body = isJsonObject(postData) ? reveal(postData['text']) : '';
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { method: getText(request['method']), headers: { ...Object.fromEntries(headers), ...length } };
  return { url: reveal(request['url']), options, body };
}

function getText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
