import { readFileSync } from 'node:fs';
import { isJsonObject } from '../../src/domain/json.ts';

/*
 * A process of its own, `send-again.ts HAR`: sends the requests of a recording again, with nothing around them, and prints the seconds that
 * it took. Started anew for each measurement like the run that it is held against, so that both begin with a cold compiler.
 */

/** One request of a recording. */
interface Recorded {
  readonly url: string;
  readonly init: RequestInit;
}

/** Requests in flight at once: as many as `svc check` has by default. */
const concurrency = 8;

const recording: unknown = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
console.log(await sendAgain(recording, process.env['SERVICE_API_KEY'] ?? ''));

async function sendAgain(har: unknown, key: string): Promise<number> {
  const requests = requestsOf(har, key);
  const begin = performance.now();
  const waiting = requests[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const { url, init } of waiting) {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return (performance.now() - begin) / 1000;
}

function requestsOf(har: unknown, key: string): Recorded[] {
  const log = isJsonObject(har) ? har['log'] : undefined;
  const entries = isJsonObject(log) && Array.isArray(log['entries']) ? log['entries'] : [];
  return entries.flatMap((entry: unknown) => {
    const request = isJsonObject(entry) ? entry['request'] : undefined;
    return isJsonObject(request) ? [recorded(request, key)] : [];
  });
}

function recorded(request: Record<string, unknown>, key: string): Recorded {
  const reveal = (value: unknown): string => textOf(value).replaceAll('$SERVICE_API_KEY', key);
  const lines: unknown[] = Array.isArray(request['headers']) ? request['headers'] : [];
  const headers = lines.flatMap((line): [string, string][] =>
    isJsonObject(line) ? [[textOf(line['name']), reveal(line['value'])]] : [],
  );
  const { postData } = request;
  const body = isJsonObject(postData) ? { body: reveal(postData['text']) } : {};
  return { url: reveal(request['url']), init: { method: textOf(request['method']), headers, ...body } };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
