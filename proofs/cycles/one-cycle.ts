import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '#browsers/isolation/process-table.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { killIfThere } from '../kills/fleet.ts';
import { connectRaw, type RawCdp } from '../../test/support/raw-cdp.ts';
import type { CycledService } from './cycled-service.ts';
import { pricing } from '#generated/rules.ts';

/** Dependencies of one browser cycle. */
export interface CycleParts {
  readonly service: CycledService;
  /** Returns a number of at least 0 and less than 1. */
  readonly random: () => number;
  /** Counts an action of the cycle by its name. */
  readonly count: (name: string) => void;
  /** Receives the milliseconds from the kill of a browser to the end of the last connection of its clients. */
  readonly noticed: (ms: number) => void;
}

/** A browser during its cycle. */
interface Cycled {
  readonly id: string;
  readonly path: string;
  readonly clients: RawCdp[];
  /** Ids of the browser's main processes that the cycle has seen so far. */
  readonly seen: Set<number>;
}

const stepsMax = 8;
const pauseMaxMs = 200;
const hourMs = 3_600_000;

/**
 * Creates a browser, performs random actions on it and its service, and stops it. Returns the violations as sentences.
 */
export async function oneCycle(parts: CycleParts): Promise<string[]> {
  const { service } = parts;
  const cycled = await create(parts);
  const faults = await live(cycled, parts);
  for (const pid of await service.browsers()) cycled.seen.add(pid);
  faults.push(...(await stopAndJudge(cycled, parts)));
  for (const client of cycled.clients) client.socket.terminate();
  return faults;
}

/** Performs at most `stepsMax` random actions and stops at the first failure. Returns this failure as a violation. */
async function live(cycled: Cycled, parts: CycleParts): Promise<string[]> {
  const { random, count } = parts;
  for (let step = Math.floor(random() * (stepsMax + 1)); step > 0; step -= 1) {
    const [name, act] = steps[Math.floor(random() * steps.length)] ?? steps[0];
    count(name);
    try {
      await act(cycled, parts);
    } catch (error) {
      return [`browser ${cycled.id}: ${name}: ${String(error)}`];
    }
    await pause(parts);
  }
  return [];
}

/**
 * Creates a browser, and sometimes kills the service during the creation. If no 201 arrived, uses the first active
 * browser of the list, or creates another browser if the list is empty.
 */
async function create({ service, random, count }: CycleParts): Promise<Cycled> {
  const created = service.call('POST', '/browsers', {}).catch(() => null);
  if (random() < 0.1) {
    count('kill the service during a creation');
    await delay(random() * pauseMaxMs);
    await service.killAndStart();
  }
  const answer = await created;
  const { body } = await service.call('GET', '/browsers?filterBy=active');
  const items: JsonObject[] = Array.isArray(body['items']) ? body['items'].filter(isJsonObject) : [];
  // If the service was killed before it wrote the row, another browser is created.
  const found = answer?.status === 201 ? answer.body : (items[0] ?? (await service.call('POST', '/browsers', {})).body);
  const path = new URL(getText(found['cdpUrl'])).pathname;
  return { id: getText(found['id']), path, clients: [], seen: new Set(await service.browsers()) };
}

type Step = (cycled: Cycled, parts: CycleParts) => Promise<void>;

/** Actions on a browser or its service, by name. An action that is listed several times is drawn more often. */
const steps: readonly [readonly [string, Step], ...(readonly [string, Step])[]] = [
  ['attach', attach],
  ['attach', attach],
  ['attach', attach],
  ['drop without a close message', async ({ clients }) => clients.pop()?.socket.terminate()],
  ['close in order', async ({ clients }) => clients.pop()?.close()],
  [
    'ask the browser to close',
    async ({ clients }) =>
      void clients
        .at(-1)
        ?.call('Browser.close')
        .catch(() => undefined),
  ],
  ['close every tab', closeTabs],
  ['kill the browser', killMain],
  ['kill a process of it', killOne],
  ['kill the service', killService],
  ['let time pass', async (_cycled, { service, random }) => service.advance(Math.floor(random() * 5 * hourMs))],
];

/**
 * Connects a DevTools client. Throws unless the client finds a page, and a new tab evaluates an expression correctly.
 */
async function attach({ path, clients, seen }: Cycled, { service }: CycleParts): Promise<void> {
  const client = await connectRaw(service.cdpUrl(path));
  clients.push(client);
  if ((await getPages(client)).length === 0)
    throw new Error('a connected client found no page, expected a working one');
  // Uses a new tab, because a crashed tab stays in the list and does not respond.
  const { targetId } = await client.result('Target.createTarget', { url: 'about:blank' });
  const attached = await client.result('Target.attachToTarget', { targetId: targetId ?? null, flatten: true });
  const expression = { expression: '6 * 7', returnByValue: true };
  const { result } = await client.result('Runtime.evaluate', expression, getText(attached['sessionId']));
  if (!isJsonObject(result) || result['value'] !== 42) throw new Error(`a page answered ${JSON.stringify(result)}`);
  for (const pid of await service.browsers()) seen.add(pid);
}

async function closeTabs({ clients }: Cycled): Promise<void> {
  const client = clients.at(-1);
  if (client === undefined || client.socket.readyState !== client.socket.OPEN) return;
  for (const targetId of await getPages(client)) await client.call('Target.closeTarget', { targetId });
}

async function getPages(client: RawCdp): Promise<string[]> {
  const { targetInfos } = await client.result('Target.getTargets');
  const infos = Array.isArray(targetInfos) ? targetInfos.filter(isJsonObject) : [];
  return infos.filter(({ type }) => type === 'page').map((info) => getText(info['targetId']));
}

async function killService({ clients, seen }: Cycled, { service }: CycleParts): Promise<void> {
  for (const pid of await service.browsers()) seen.add(pid);
  clients.length = 0;
  await service.killAndStart();
}

async function killMain({ clients, seen }: Cycled, { service, noticed }: CycleParts): Promise<void> {
  const pids = await service.browsers();
  for (const pid of pids) seen.add(pid);
  const open = clients.filter(({ socket }) => socket.readyState === socket.OPEN);
  const begun = performance.now();
  for (const pid of pids) killIfThere(pid);
  if (pids.length === 0) return;
  await Promise.all(open.map((client) => client.ended));
  if (open.length > 0) noticed(performance.now() - begun);
}

/**
 * Kills a random renderer, GPU or utility process of a browser, as the kernel does when memory runs out. Does nothing
 * if no such process runs.
 */
async function killOne({ seen }: Cycled, { service, random }: CycleParts): Promise<void> {
  const pids = await service.browsers();
  for (const pid of pids) seen.add(pid);
  const processes: { readonly pid: number }[] = [];
  for (const process of await service.findProcesses(pids)) {
    if (/--type=(?:renderer|gpu-process|utility)/.test((await commandLine(process.pid)).join(' ')))
      processes.push(process);
  }
  const victim = processes[Math.floor(random() * processes.length)];
  if (victim !== undefined) killIfThere(victim.pid);
}

/**
 * Stops the browser with one or several concurrent requests. Returns as sentences: violations in the responses, in the
 * record and in its cost, remaining processes and folders, and a DevTools URL that still opens.
 */
async function stopAndJudge({ id, path, seen }: Cycled, { service, random, count }: CycleParts): Promise<string[]> {
  const times = 1 + Math.floor(random() * 3);
  count(times === 1 ? 'stop' : 'stop several times at once');
  const stop = (): ReturnType<CycledService['call']> => service.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  const answers = await Promise.all(Array.from({ length: times }, stop));
  const [first] = answers;
  const bodies = new Set([...answers, await stop(), await service.call('GET', `/browsers/${id}`)].map(getRecord));
  const processes = await service.findProcesses(seen);
  const bill = first === undefined ? 'was not stopped' : billFault(first.body);
  const opens = await connectRaw(service.cdpUrl(path)).then(
    () => true,
    () => false,
  );
  return [
    ...answers.filter(({ status }) => status !== 200).map(({ status }) => `a stop was answered ${status}`),
    ...(first?.body['status'] === 'stopped' ? [] : ['its record does not say that it is stopped']),
    ...(bodies.size === 1 ? [] : [`its record differs: ${[...bodies].join(' ')}`]),
    ...(bill === null ? [] : [bill]),
    ...processes.map(({ pid }) => `process ${pid} is left`),
    ...service.folders().map((name) => `folder ${name} is left`),
    ...(opens ? ['its address opens a browser'] : []),
  ].map((fault) => `browser ${id}: ${fault}`);
}

/**
 * Returns the record of a stopped browser as JSON, without `recordingAvailable`. All other members must be equal in all
 * responses.
 */
function getRecord({ body }: { body: JsonObject }): string {
  const { recordingAvailable: _only, ...record } = body;
  return JSON.stringify(record);
}

function pause({ random }: CycleParts): Promise<void> {
  return delay(random() * pauseMaxMs);
}

function getText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const minuteMs = 60_000;
const minutesPerHour = 60;

/**
 * Returns the error in the times or the cost of a stopped browser, or null. The end must be later than the start. The
 * cost must be the price of the started minutes, or of the minimum minutes of the price table if these are more.
 */
export function billFault(record: JsonObject): string | null {
  const usedMs = getTime(record, 'finishedAt') - getTime(record, 'startedAt');
  const minutes = Math.max(Math.ceil(usedMs / minuteMs), pricing.browser.minimumMinutes);
  const micros = Math.ceil((minutes * pricing.browser.microUsdPerHour) / minutesPerHour);
  const shown = Math.round(Number(record['browserCost']) * 1_000_000);
  if (usedMs <= 0) return `ended ${usedMs} ms after its start`;
  return shown === micros ? null : `costs ${shown} micro-dollars for ${minutes} minutes, expected ${micros}`;
}

function getTime(record: JsonObject, member: string): number {
  const value = record[member];
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
