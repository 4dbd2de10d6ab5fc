import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { mock } from '#generated/rules.ts';
import { createOfflinePlanner } from '#planner/index.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import type { ControlledClock } from '#lib/clock/clock.ts';
import { createClock } from '#lib/clock/controlled-clock.ts';
import { type FaultSwitch, createFaultSwitch } from '#api/control/fault-switch.ts';
import { type RefusalSwitch, createRefusalSwitch } from '#api/control/refusal-switch.ts';
import { type Backend, createBackend } from '#api/create-backend.ts';
import { createDiskBlobs } from '#store/disk-blobs.ts';
import { smallInMemory } from '#store/small-in-memory.ts';
import { createStandIn, pacedAgent, pacedHost } from '#platform/simulated-agent/index.ts';
import { limitOf } from '#contract/limit-of.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { allowEveryOrigin, isOfPage } from '#mock/cors.ts';
import { type DocumentAnswers, createDocumentAnswers } from '#mock/document-answers.ts';
import { addLandingPage, landingPage } from '#mock/landing-page.ts';
import { late } from '#mock/late.ts';
import { asksForExample } from '#mock/prefer.ts';
import { createRandom } from '#mock/random.ts';
import { type CallLog, addLogRoutes } from '#mock/request-log/index.ts';
import type { Around } from '#api/http/around.ts';
import type { WireReply, WireRequest } from '#contract/wire.ts';
import type { StatefulOptions } from './mock-options.ts';
import { passingFolder } from './passing-folder.ts';
import { seededIds } from './seeded-ids.ts';

/** A service that looks like one, with nothing behind it: from its start to its reset or end. */
export interface OpenStateful extends AsyncDisposable {
  readonly address: string;
  readonly backend: Backend;
  readonly clock: ControlledClock;
  readonly faults: FaultSwitch;
  readonly refusals: RefusalSwitch;
}

/** What outlives it. */
export interface Beside {
  readonly log: Logger;
  /** The request log, and what notes calls in it. */
  readonly calls: CallLog;
  readonly watch: Around;
}

const secretBytes = 32;
/** Every picture of a simulated browser, and what is uploaded to try whether it works. */
const smallBlobs = { bytesMax: 16_384, totalMax: 67_108_864 } as const;

/** Opens it with nothing in it; what was opened is closed again when a later step fails. */
export async function openStateful(options: StatefulOptions, beside: Beside): Promise<OpenStateful> {
  const owned = new AsyncDisposableStack();
  try {
    return { ...(await open(options, beside, owned)), [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
}

async function open(
  options: StatefulOptions,
  { log, calls, watch }: Beside,
  owned: AsyncDisposableStack,
): Promise<Omit<OpenStateful, typeof Symbol.asyncDispose>> {
  const { seed, speed, sessionsMax, faultRate, host, port } = options;
  const clock = createClock({ speed });
  const faults = createFaultSwitch(pacedHost(createSimulatedHost(), clock, mock.pace.sandboxStartMs));
  owned.defer(() => faults.host.close());
  const refusals = createRefusalSwitch({ faultRate, random: createRandom(seed) });
  const held = heldBack(options, owned);
  const preferred = preferredAnswers(options);
  const dataFolder = passingFolder(owned);
  const backend = await createBackend({
    dataFolder,
    blobs: smallInMemory({ beside: createDiskBlobs(join(dataFolder, 'blobs')), ...smallBlobs }),
    database: ':memory:',
    secrets: { signing: randomBytes(secretBytes), sealing: randomBytes(secretBytes) },
    ids: seededIds(seed),
    host: faults.host,
    agent: agentOf(seed),
    clock,
    rules: defaultRules,
    limits: { inactivityMs: limitOf(defaultRules, 'sessionInactivity'), activeSessionsMax: sessionsMax },
    bootstrapKeys: [options.apiKey],
    interrupt: refusals.interrupt,
    isHooked: isOfPage,
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

function agentOf(seed: number): ReturnType<typeof pacedAgent> {
  const { address, stepsMin, stepsMax } = mock.work;
  const planner = createOfflinePlanner({ testTasks: true });
  return pacedAgent(createStandIn({ planner, seed, steps: { stepsMin, stepsMax }, address }), mock.pace.stepMs);
}

/** Answers from the documents what a request prefers by `code` or `example`, without an effect; null for any other request. */
function preferredAnswers({ apiKey, seed }: StatefulOptions): (request: WireRequest) => Promise<WireReply> | null {
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
  return late({ latencyMs: latencyMs ?? [0, 0], random: createRandom(seed), signal: closing.signal });
}
