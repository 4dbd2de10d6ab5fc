import { Pool } from 'undici';
import { endAll } from '../service/end-all.ts';
import { type FuzzFaults, createFaults } from './fuzz-faults.ts';
import { type FuzzedService, startFuzzedService } from './fuzzed-service.ts';
import { furnish } from './furnish.ts';
import { judgeGrowth } from './judge-growth.ts';
import { type Held, measureHeld } from './measure-held.ts';
import { createSender } from './send-and-judge.ts';
import { settle } from './settle.ts';
import { type World, createWorld } from './world.ts';
import { type Draw, createDraw } from '../draw.ts';
import { callHeaders } from './call-headers.ts';
import { drawCall } from './draw-call.ts';
import { drawRaw } from './draw-raw.ts';
import { type CallRequest, type FuzzedRequest, placeholder } from './fuzzed-request.ts';

/** What is to be sent. */
export interface FuzzOptions {
  readonly requests: number;
  /** The same seed draws the same requests. */
  readonly seed: number;
  /** Between two of them nothing is left alive, and what is held is measured; growth is judged from the second rest on. */
  readonly windows: number;
  /** No window is begun after this time. @defaultValue all are */
  readonly minutes?: number;
  /** Told after each window. @defaultValue nobody is */
  readonly progress?: (line: string) => void;
}

/** What was sent and found. */
export interface FuzzResult {
  readonly sent: number;
  /** Answers by status; 0 for a connection that was closed without a word. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Operations that have succeeded at least once. */
  readonly succeeded: ReadonlySet<string>;
  readonly rests: readonly Held[];
  readonly faults: FuzzFaults;
}

/** Requests that are under way at the same time. */
const atOnce = 24;
/** Nothing that is asked for takes nearly as long, on a busy machine either. */
const patienceMs = 120_000;
/** After so many requests what is old is ended and something of each kind is made. */
const tendEvery = 500;
/** Things of each kind that are left alive then. */
const keptAlive = 12;
/** Rests that a service has before growth is judged: the first requests of a kind load what is needed once. */
const warmRests = 2;

/** Sends requests of every kind to a service that is started for it and gone afterwards, and judges every answer. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const service = await startFuzzedService();
  try {
    return await sendWindows(service, options);
  } finally {
    await service.stop();
  }
}

async function sendWindows(service: FuzzedService, options: FuzzOptions): Promise<FuzzResult> {
  const { requests, windows, seed, progress, minutes = Number.POSITIVE_INFINITY } = options;
  const until = performance.now() + minutes * 60_000;
  const [statuses, succeeded] = [new Map<number, number>(), new Set<string>()];
  const faults = createFaults(seed);
  const rests: Held[] = [];
  const world = createWorld(service.key);
  let sent = 0;
  for (let window = 1; window <= windows && service.isRunning() && performance.now() < until; window += 1) {
    const to = Math.round((requests * window) / windows);
    await sendWindow({ service, world, faults, statuses, succeeded }, { seed, from: sent, to });
    sent = to;
    for (const line of service.errors.slice(faults.logLines)) faults.log(line);
    if (!service.isRunning()) faults.add(null, 'the service has ended');
    else {
      await settle(service);
      rests.push(await measureHeld(service, sent));
      world.forget();
    }
    progress?.(`${sent} of ${requests}: ${faults.kinds.size} kinds of faults${restText(rests.at(-1))}`);
  }
  const [warm, last] = [rests[warmRests - 1], rests.at(-1)];
  if (warm !== undefined && last !== undefined && last !== warm)
    for (const fault of judgeGrowth(warm, last)) faults.add(null, fault);
  return { sent, statuses, succeeded, rests, faults };
}

interface WindowParts {
  readonly service: FuzzedService;
  readonly world: World;
  readonly faults: FuzzFaults;
  readonly statuses: Map<number, number>;
  readonly succeeded: Set<string>;
}

async function sendWindow(
  parts: WindowParts,
  { seed, from, to }: { readonly seed: number; readonly from: number; readonly to: number },
): Promise<void> {
  const { service, world } = parts;
  const pool = new Pool(service.address, { connections: atOnce, headersTimeout: patienceMs, bodyTimeout: patienceMs });
  const send = createSender({ ...parts, pool });
  let next = from;
  const work = async (): Promise<void> => {
    for (let index = next; index < to && service.isRunning(); index = next) {
      next += 1;
      if (index % tendEvery === 0) await tend(service, { pool, world });
      await send(drawRequest(seed, index), index);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await pool.close();
  }
}

/** Leaves little alive, and something of everything. */
async function tend(
  service: FuzzedService,
  { pool, world }: { readonly pool: Pool; readonly world: World },
): Promise<void> {
  await endAll(service.call, keptAlive);
  await furnish(pool, world);
}

function restText(rest: Held | undefined): string {
  if (rest === undefined) return '';
  return `; at rest ${(rest.heapBytes / 1024 / 1024).toFixed(1)} MiB of heap, ${rest.resources} resources, ${rest.descriptors} descriptors, ${rest.files} files`;
}

const rawShare = 0.2;

const signedShare = 0.06;

/** Request number `index` of a seed: the same whenever it is asked for, whatever was sent before. */
function drawRequest(seed: number, index: number): FuzzedRequest {
  const draw = createDraw(seed + Math.imul(index + 1, 0x9e3779b1));
  if (draw.chance(rawShare)) return drawRaw(draw);
  return draw.chance(signedShare) ? drawSigned(draw) : drawCall(draw);
}

/** A request at an address that carries its own right, as it was given or altered. */
function drawSigned(draw: Draw): CallRequest {
  const isUpload = draw.chance(0.5);
  const alterations = ['', '', '', '', '&x=1', '0', '&expires=9999999999999', '%00', '#x'];
  const path = placeholder(isUpload ? 'upload' : 'signed', draw.below(64)) + draw.of(alterations);
  const method = draw.chance(0.9) ? (isUpload ? 'PUT' : 'GET') : draw.of(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']);
  const body = method === 'GET' || method === 'HEAD' ? null : 'x'.repeat(draw.of([0, 1, 3, 1000, 1001]));
  const headers = callHeaders(draw, { hasKey: draw.chance(0.1), hasBody: false });
  const type = draw.of(['application/octet-stream', 'text/plain', 'image/png', 'none', ';']);
  return {
    kind: 'call',
    operation: null,
    method,
    path,
    headers: body === null ? headers : [...headers.filter(([name]) => name !== 'content-type'), ['content-type', type]],
    body,
    hasKey: true,
  };
}
