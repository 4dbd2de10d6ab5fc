// An adapter for `svc check-client`: openapi-fetch with types that openapi-typescript generates from the documents.
import type { paths as V2 } from '../../../generated/v2.ts';
import type { paths as V3 } from '../../../generated/v3.ts';
import type { paths as V4 } from '../../../generated/v4.ts';
import { useBrowser } from './browser.ts';
import { connect, read, sleep } from './connect.ts';
import { exchangeFiles, type GivenFile } from './files.ts';
import { listRuns, listSessions, readEvents } from './reading.ts';
import { type Create, runs, sessions, tasks } from './work.ts';

interface Input {
  readonly version: 'v2' | 'v3' | 'v4';
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly create: Create & { readonly timeout: number };
  readonly followUp: Create;
  readonly id: string;
  readonly limit: number;
  readonly files: GivenFile[];
  readonly rounds: number;
}

const input: Input = JSON.parse(process.env['SVC_INPUT'] ?? '{}');
const { version, pollMs, timeoutMs, create } = input;
const v3 = connect<V3>('v3', timeoutMs);
// V3 has the same file operations, so the types of V4 also serve V3.
const v4 = connect<V4>(version, timeoutMs);
const work = { v2: tasks(connect<V2>('v2', timeoutMs)), v3: sessions(v3), v4: runs(v4) }[version];

const started: string[] = [];
process.once('SIGINT', () => void Promise.allSettled(started.map(work.stop)).then(() => process.exit(130)));
async function start(body: Create): Promise<string> {
  if (body.browserSettings && !('proxyCountryCode' in body.browserSettings))
    throw new Error('give a proxyCountryCode, or null');
  const { id } = await work.start(body);
  started.push(id);
  return id;
}
async function end(id: string): Promise<object> {
  let shown = await work.record(id);
  for (; !work.ends.includes(shown.status); shown = await work.record(id)) await sleep(pollMs);
  return shown;
}

const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  run: async () => end(await start(create)),
  'follow-up': async () => {
    const sessionId = await start(create);
    await end(sessionId);
    return end(await start({ ...input.followUp, sessionId }));
  },
  read: () => read(v4.GET('/runs/{run_id}', { params: { path: { run_id: input.id } } })),
  stop: async () => work.stop(await start(create)),
  events: async () => ({ events: await readEvents(v4, await start(create), pollMs) }),
  list: async () => ({ ids: await (version === 'v3' ? listSessions(v3, input.limit) : listRuns(v4, input.limit)) }),
  files: async () => ({ files: await exchangeFiles(v4, input.files) }),
  browser: () => useBrowser(v4, create.timeout, input.rounds),
};
console.log(JSON.stringify(await scenarios[process.env['SVC_SCENARIO'] ?? '']?.()));
