import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { mock } from '#generated/rules.ts';
import { createOfflinePlanner } from '#backend/agent/index.ts';
import { createSimulatedHost } from '#backend/browsers/index.ts';
import type { ControlledClock } from '#backend/clock/clock.ts';
import { createClock } from '#backend/clock/controlled-clock.ts';
import { type FaultSwitch, createFaultSwitch } from '#backend/control/fault-switch.ts';
import { type RefusalSwitch, createRefusalSwitch } from '#backend/control/refusal-switch.ts';
import { type Backend, createBackend } from '#backend/create-backend.ts';
import { createStandIn, pacedAgent, pacedHost } from '#backend/stand-in/index.ts';
import { limitOf } from '#domain/limit-of.ts';
import { defaultRules } from '#domain/rule-book.ts';
import { allowEveryOrigin } from '#mock/cors.ts';
import { late } from '#mock/late.ts';
import { createRandom } from '#mock/random.ts';
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

/** Sandboxes that may live at the same time. */
const sessionsMax = 25;
const secretBytes = 32;

/** Opens it with nothing in it; what was opened is closed again when a later step fails. */
export async function openStateful(options: StatefulOptions, log: Logger): Promise<OpenStateful> {
  const owned = new AsyncDisposableStack();
  try {
    return { ...(await open(options, log, owned)), [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
}

async function open(
  options: StatefulOptions,
  log: Logger,
  owned: AsyncDisposableStack,
): Promise<Omit<OpenStateful, typeof Symbol.asyncDispose>> {
  const { seed, speed, faultRate, host, port } = options;
  const clock = createClock({ speed });
  const faults = createFaultSwitch(pacedHost(createSimulatedHost(), clock, mock.pace.sandboxStartMs));
  owned.defer(() => faults.host.close());
  const refusals = createRefusalSwitch({ faultRate, random: createRandom(seed) });
  const backend = await createBackend({
    dataFolder: passingFolder(owned),
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
    ...latencyOf(options, owned),
    verifyEveryNth: 1,
    log,
  });
  owned.defer(() => backend.close());
  allowEveryOrigin(backend.app);
  return { address: await backend.listen({ host, port }), backend, clock, faults, refusals };
}

function agentOf(seed: number): ReturnType<typeof pacedAgent> {
  const { address, stepsMin, stepsMax } = mock.work;
  const planner = createOfflinePlanner({ testTasks: true });
  return pacedAgent(createStandIn({ planner, seed, steps: { stepsMin, stepsMax }, address }), mock.pace.stepMs);
}

function latencyOf(
  { latencyMs, seed }: StatefulOptions,
  owned: AsyncDisposableStack,
): { around?: ReturnType<typeof late> } {
  if (latencyMs === null) return {};
  const closing = new AbortController();
  owned.defer(() => closing.abort());
  return { around: late({ latencyMs, random: createRandom(seed), signal: closing.signal }) };
}
