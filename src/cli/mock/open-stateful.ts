import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createControlServer } from '#api/control/control-server.ts';
import { createFaultSwitch, createRefusalSwitch, type FaultSwitch, type RefusalSwitch } from '#api/control/switches.ts';
import { type Backend, createBackend } from '#api/create-backend.ts';
import type { Around } from '#api/http/hooks.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { defaultRules, getLimit } from '#contract/rule-book.ts';
import { mock } from '#generated/rules.ts';
import { type ControlledClock, createClock } from '#lib/clock.ts';
import type { Ids } from '#lib/ids.ts';
import { createDocumentAnswers, type DocumentAnswers } from '#mock/document-answers.ts';
import { createRandom } from '#mock/inject-faults.ts';
import { addLandingPage, landingPage } from '#mock/landing-page.ts';
import { allowEveryOrigin, isCrossOriginPage, delayResponses } from '#mock/mock-server.ts';
import { asksForExample } from '#mock/prefer.ts';
import { addLogRoutes } from '#mock/request-log/log-routes.ts';
import { type CallLog } from '#mock/request-log/create-call-log.ts';
import { createDefaultLog } from '#mock/request-log/watch-calls.ts';
import { createOfflinePlanner } from '#planner/index.ts';
import { createSimulatedAgent, pacedAgent, pacedHost } from '#platform/simulated-agent/create-simulated-agent.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import { createMemoryBlobs } from '#store/blobs/memory-blobs.ts';
import { hasCode } from '#lib/system-errors.ts';
import { createLog } from '../create-log.ts';
import type { StartedMock, StatefulOptions } from './mock-flags.ts';

/** A running stateful mock. A reset closes the mock and opens a new one. */
export interface OpenStateful extends AsyncDisposable {
  readonly address: string;
  readonly backend: Backend;
  readonly clock: ControlledClock;
  readonly faults: FaultSwitch;
  readonly refusals: RefusalSwitch;
}

/** Parts of a stateful mock that stay the same after a reset. */
export interface KeptParts {
  readonly log: Logger;
  /** The request log, and the hook that fills it. */
  readonly calls: CallLog;
  readonly watch: Around;
}

const secretBytes = 32;
/**
 * Limits for blobs that are stored in memory, in bytes. They suffice for all screenshots of simulated browsers and for
 * small uploads.
 */
const smallBlobs = { bytesMax: 16_384, totalMax: 67_108_864 } as const;

/** Opens an empty stateful mock. When a step fails, everything that was opened is closed again. */
export async function openStateful(options: StatefulOptions, keptParts: KeptParts): Promise<OpenStateful> {
  const owned = new AsyncDisposableStack();
  try {
    return { ...(await open(options, keptParts, owned)), [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
}

async function open(
  options: StatefulOptions,
  { log, calls, watch }: KeptParts,
  owned: AsyncDisposableStack,
): Promise<Omit<OpenStateful, typeof Symbol.asyncDispose>> {
  const { seed, speed, sessionsMax, faultRate, host, port } = options;
  const clock = createClock({ speed });
  const faults = createFaultSwitch(pacedHost(createSimulatedHost(), clock, mock.pace.sandboxStartMs));
  owned.defer(() => faults.host.close());
  const refusals = createRefusalSwitch({ faultRate, random: createRandom(seed) });
  const held = heldBack(options, owned);
  const preferred = preferredAnswers(options);
  const dataFolder = createTemporaryFolder(owned);
  const backend = await createBackend({
    dataFolder,
    blobs: createMemoryBlobs({ beside: createDiskBlobs(join(dataFolder, 'blobs')), ...smallBlobs }),
    database: ':memory:',
    secrets: { signing: randomBytes(secretBytes), sealing: randomBytes(secretBytes) },
    ids: seededIds(seed),
    host: faults.host,
    agent: createAgent(seed),
    clock,
    rules: defaultRules,
    limits: { inactivityMs: getLimit(defaultRules, 'sessionInactivity'), activeSessionsMax: sessionsMax },
    bootstrapKeys: [options.apiKey],
    interrupt: refusals.interrupt,
    isHooked: isCrossOriginPage,
    around: (request, answer) => watch(request, (inner) => held(inner, (asked) => preferred(asked) ?? answer(asked))),
    verifyEveryNth: 1,
    log,
  });
  owned.defer(() => backend.close());
  allowEveryOrigin(backend.app);
  addLogRoutes(backend.app, calls, defaultRules);
  addLandingPage(backend.app, landingPage('stateful'));
  return { address: await backend.listen({ host, port }), backend, clock, faults, refusals };
}

function createAgent(seed: number): ReturnType<typeof pacedAgent> {
  const { address, stepsMin, stepsMax } = mock.work;
  const planner = createOfflinePlanner({ testTasks: true });
  return pacedAgent(createSimulatedAgent({ planner, seed, steps: { stepsMin, stepsMax }, address }), mock.pace.stepMs);
}

/**
 * Returns a function for requests to `/api/` whose header `Prefer` has `code` or `example`. The function answers these
 * requests from the documents, without a change of state. It returns null for any other request.
 */
function preferredAnswers({ apiKey, seed }: StatefulOptions): (request: HttpRequest) => Promise<HttpReply> | null {
  let loaded: Promise<DocumentAnswers> | undefined;
  return (request) => {
    if (!request.path.startsWith('/api/') || !asksForExample(request.headers['prefer'])) return null;
    loaded ??= createDocumentAnswers({ rules: defaultRules, apiKey, dynamic: false, random: createRandom(seed) });
    return loaded.then(({ answer }) => answer(request));
  };
}

function heldBack({ latencyMs, seed }: StatefulOptions, owned: AsyncDisposableStack): Around {
  const closing = new AbortController();
  owned.defer(() => closing.abort());
  return delayResponses({ latencyMs: latencyMs ?? [0, 0], random: createRandom(seed), signal: closing.signal });
}

const tokenBytes = 24;

const idBytes = 16;

/** Creates a generator of ids and tokens from a seed. The same seed yields the same ids and tokens in every run. */
function seededIds(seed: number): Ids {
  const random = createRandom(seed);
  const bytes = (count: number): Buffer => {
    const drawn = Buffer.alloc(count);
    for (let index = 0; index < count; index += 1) drawn[index] = Math.floor(random() * 256);
    return drawn;
  };
  return {
    newId: () => toUuid(bytes(idBytes)),
    newToken: () => bytes(tokenBytes).toString('base64url'),
  };
}

/** Returns sixteen bytes as a version 4 UUID; sets the bits of version and variant in place. */
function toUuid(bytes: Buffer): string {
  bytes[6] = (Number(bytes[6]) & 0x0f) | 0x40;
  bytes[8] = (Number(bytes[8]) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const namePattern = /^svc-mock-(\d+)-[0-9a-f-]{36}$/;

/**
 * Creates a temporary folder that is removed when `owned` is disposed. First removes the folders of mocks whose
 * processes have ended.
 */
function createTemporaryFolder(owned: AsyncDisposableStack, place: string = tmpdir()): string {
  for (const name of readdirSync(place)) if (isAbandoned(place, name)) remove(join(place, name));
  const folder = join(place, `svc-mock-${process.pid}-${randomUUID()}`);
  mkdirSync(folder, { mode: 0o700 });
  owned.defer(() => remove(folder));
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns whether a folder belongs to a mock of this user whose process has ended. */
function isAbandoned(place: string, name: string): boolean {
  const pid = namePattern.exec(name)?.[1];
  if (pid === undefined || isAlive(Number(pid))) return false;
  const found = statSync(join(place, name), { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return !hasCode(error, 'ESRCH');
  }
}

/** Starts a stateful mock, with a control server if requested. */
export async function startStateful(options: StatefulOptions): Promise<StartedMock> {
  const beside = { log: createLog(options.logLevel), ...createDefaultLog(options.apiKey) };
  let current = await openStateful(options, beside);
  const { address } = current;
  let turn: Promise<void> = Promise.resolve();
  const reopen = async (): Promise<void> => {
    await current[Symbol.asyncDispose]();
    current = await openStateful({ ...options, port: Number(new URL(address).port) }, beside);
  };
  /**
   * Restarts the mock at the same address with the same seed: all resources are removed, and ids repeat. Restarts run
   * one after the other.
   */
  const restart = (): Promise<void> => {
    turn = turn.then(reopen, reopen);
    return turn;
  };
  const control = createControlServer({
    get clock() {
      return current.clock;
    },
    get engine() {
      return current.backend.engine;
    },
    get faults() {
      return current.faults;
    },
    get refusals() {
      return current.refusals;
    },
    requests: beside.calls,
    restart,
  });
  const close = async (): Promise<void> => {
    await control.close();
    // A failed restart has reported its error to its caller.
    await Promise.allSettled([turn]);
    await current[Symbol.asyncDispose]();
  };
  try {
    return { address, controlAddress: options.control === null ? null : await control.listen(options.control), close };
  } catch (error) {
    await close();
    throw error;
  }
}
