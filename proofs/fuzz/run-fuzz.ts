import { Pool } from 'undici';
import { endAll } from '../service/end-all.ts';
import { type FuzzFaults, createFaults } from './fuzz-faults.ts';
import { type FuzzedService, startFuzzedService } from './fuzzed-service.ts';
import { furnish } from './furnish.ts';
import { settle } from './settle.ts';
import { type Held, measureHeld } from './measure-held.ts';
import { createSender } from './send-and-judge.ts';
import { type World, createWorld } from './world.ts';
import { type Draw, createDraw } from '../draw.ts';
import { callHeaders } from './call-headers.ts';
import { drawCall } from './draw-call.ts';
import { drawRaw } from './draw-raw.ts';
import { type CallRequest, type FuzzedRequest, placeholder } from './fuzzed-request.ts';

/** Options of a fuzzing run. */
export interface FuzzOptions {
  readonly requests: number;
  /** Seed of the requests. Equal seeds yield equal requests. */
  readonly seed: number;
  /**
   * Number of windows, each of which sends an equal part of the requests. After each window, all records are ended and
   * the resources are measured. The last measurement is compared with the second.
   */
  readonly windows: number;
  /** Minutes after which no further window begins. @defaultValue no limit */
  readonly minutes?: number;
  /** Called after each window. @defaultValue not called */
  readonly progress?: (line: string) => void;
}

/** Result of a fuzzing run. */
export interface FuzzResult {
  readonly sent: number;
  /**
   * Number of requests by the HTTP status of their response. Status 0 means that the connection was closed without a
   * response.
   */
  readonly statuses: ReadonlyMap<number, number>;
  /** Operations that succeeded at least once. */
  readonly succeeded: ReadonlySet<string>;
  readonly rests: readonly Held[];
  readonly faults: FuzzFaults;
}

/** Number of requests that the fuzzer sends at the same time. */
const atOnce = 24;
/** Deadline of a request in milliseconds, far above any response time on a loaded machine. */
const deadlineMs = 120_000;
/** Number of requests after which old records are ended and new records of each kind are created. */
const tendEvery = 500;
/** Number of newest records of each kind that {@link tend} does not end. */
const keptAlive = 12;
/**
 * The last idle measurement is compared with the measurement at this position, counted from 1. Earlier measurements are
 * too low, because the first requests load code.
 */
const warmRests = 2;

/** Starts a service, sends generated requests, and judges every response. Removes the service afterwards. */
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
  const pool = new Pool(service.address, { connections: atOnce, headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
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

/** Ends all records except the newest {@link keptAlive} of each kind, and creates at least one record of each kind. */
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

/** Returns request `index` of a seed, independent of earlier requests. */
function drawRequest(seed: number, index: number): FuzzedRequest {
  const draw = createDraw(seed + Math.imul(index + 1, 0x9e3779b1));
  if (draw.chance(rawShare)) return drawRaw(draw);
  return draw.chance(signedShare) ? drawSigned(draw) : drawCall(draw);
}

/** Creates a request to a signed URL, unchanged or altered. */
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

const mebibyte = 1024 * 1024;
/**
 * Number of bytes by which the heap may grow between two idle measurements. If growth by the factor `heapRatio` is
 * more, that growth is allowed. `residentSlack` and `residentRatio` limit resident memory in the same way; `countSlack`
 * limits the growth of counts.
 */
const heapSlack = 8 * mebibyte;
const heapRatio = 1.15;
const residentSlack = 48 * mebibyte;
const residentRatio = 1.25;
const countSlack = 4;

/** Tables that keep records of deleted resources and accounts, and grow by design. */
const kept = new Set(['sessions', 'runs', 'browsers', 'workspaces', 'projects', 'api_keys', 'provider_keys']);

/**
 * Compares two measurements of the idle service and returns a sentence for each resource that has grown beyond its
 * tolerance.
 */
export function judgeGrowth(warm: Held, last: Held): string[] {
  const requests = `${last.after - warm.after} requests`;
  const faults: string[] = [];
  const compare = (name: string, [before, now]: readonly [number, number], most: number): void => {
    if (!(now <= most)) faults.push(`${name} grew from ${before} to ${now} in ${requests}`);
  };
  compare(
    'the heap',
    [warm.heapBytes, last.heapBytes],
    Math.max(warm.heapBytes * heapRatio, warm.heapBytes + heapSlack),
  );
  compare(
    'resident memory',
    [warm.residentBytes, last.residentBytes],
    Math.max(warm.residentBytes * residentRatio, warm.residentBytes + residentSlack),
  );
  compare('active resources', [warm.resources, last.resources], warm.resources + countSlack);
  compare('open descriptors', [warm.descriptors, last.descriptors], warm.descriptors + countSlack);
  compare('files', [warm.files, last.files], warm.files + countSlack);
  for (const [table, count] of last.rows) {
    const before = warm.rows.get(table) ?? 0;
    if (!kept.has(table)) compare(`table ${table}`, [before, count], before + countSlack);
  }
  return faults;
}
