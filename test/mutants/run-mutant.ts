import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { type Report, type RunOptions, listRequirements, parseTarget, run } from '#conformance/index.ts';
import { fakeConnectors } from '#conformance/testing/fake-connectors.ts';
import { referenceStubRows, stubRows } from '#conformance/testing/judge-with-stub.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createMock } from '#mock/create-mock.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from '../support/start-backend.ts';
import { createScriptedHost } from '../support/scripted-host.ts';
import { ownKeyEndings, startWithStub, storedKey } from '../support/start-with-stub.ts';
import { startRealBackend } from '../support/start-real-backend.ts';
import { contractAreas } from './contract-rows.ts';
import type { Mutant, Tamper } from './mutant.ts';
import { startTamperingProxy } from './tampering-proxy.ts';
import { type World, createWorld } from './world.ts';

/** Result of the suite for a server. */
export interface Judged {
  readonly report: Report;
  /** Ids with the verdict violation, warning or note, in report order. */
  readonly failing: string[];
  /** Ids with the verdict error: the suite's own fault. */
  readonly errors: string[];
  /**
   * True if the mutant has changed a rule, the target file or a message. Always true for a mutant that changes
   * connections, URLs, pieces or delays, because these changes are not recorded.
   */
  readonly hasChanged: boolean;
}

/** Limit of dispatched tasks, which is enough for every scenario and for a few acceptance cells of each generation. */
const dispatchesMax = 130;
/**
 * Limit of dispatched tasks for a broken server with a provider stub, on which tasks take longer. It is enough for the
 * first cells of every scenario.
 */
const providerDispatchesMax = 50;
/** Validates no response, because responses of a broken server need not be valid. */
const verifyEveryNth = Number.MAX_SAFE_INTEGER;

/** The members of a mutant that a run needs. */
export interface Judgeable
  extends Pick<Mutant, 'server' | 'rules' | 'tamper' | 'only' | 'matrix' | 'targetFile' | 'seed'> {
  /** Row that must fail for a broken server. */
  readonly target?: string;
  /** True for a server that makes legal choices. Every requirement judges it, as it judges the conforming server. */
  readonly isLegal?: boolean;
}

/** Rows about standalone browsers. */
const browserRows = ['browsers', 'SVC-02', 'SVC-03', 'TENANCY-20', 'TENANCY-21', 'TENANCY-22', 'TENANCY-23'];
const twoKeys = { otherApiKey: otherKey, profile: 'full' } as const;
const browsersAlone = { ...twoKeys, spend: 'browser', only: browserRows } as const;

/** Options of the run by kind of server. */
const how: Readonly<Record<Mutant['server'], Partial<RunOptions>>> = {
  mock: { spend: 'none' },
  reference: { ...twoKeys, spend: 'task' },
  scripted: { ...browsersAlone, connectors: fakeConnectors },
  chromium: browsersAlone,
  // The stub already listens: another process could take a port that was found free first.
  providers: { ...twoKeys, spend: 'task', openStub: () => Promise.resolve({ close: () => Promise.resolve() }) },
};

/** Target file without browsers, because a simulated browser cannot be driven. */
const noBrowsers = 'v4: { browsers: null }\n';

/**
 * Runs the suite against a mutant, or against the conforming server if the mutant changes nothing. `more` overrides
 * options of the run.
 */
export async function judge(mutant: Judgeable, more: Partial<RunOptions> = {}): Promise<Judged> {
  const good = await start(mutant);
  const given = typeof mutant.tamper === 'function' ? mutant.tamper(good.world) : mutant.tamper;
  const watch = { hasChanged: changesBefore(mutant, given, good.target) };
  const tamper = given === undefined ? undefined : watched(given, watch);
  const proxy = tamper === undefined ? null : await startTamperingProxy(good.address, tamper);
  try {
    const report = await run({
      target: parseTarget({
        url: proxy?.address ?? good.address,
        text: mutant.targetFile?.(good.target) ?? good.target,
      }),
      apiKey: testKey,
      ...how[mutant.server],
      ratePerSecond: 0,
      ...drawn(mutant),
      ...selectRows(mutant),
      ...more,
    });
    const withVerdict = (...verdicts: string[]): string[] =>
      report.requirements.filter((row) => verdicts.includes(row.verdict)).map((row) => row.id);
    return { report, failing: withVerdict('violation', 'warning', 'note'), errors: withVerdict('error'), ...watch };
  } finally {
    await proxy?.close();
    await good.stop();
  }
}

/** Returns the options that decide which cells a run sends. */
function drawn(mutant: Judgeable): Pick<RunOptions, 'matrix' | 'maxDispatches' | 'seed'> {
  const { matrix = 'sample', seed = 1 } = mutant;
  return { matrix, seed, maxDispatches: matrix === 'full' ? Number.POSITIVE_INFINITY : mostDispatches(mutant) };
}

/**
 * Returns true if a mutant changes a rule, its target file, connections, URLs, pieces or delays. These changes are
 * certain before the run; changes of messages show only during the run.
 */
function changesBefore({ rules, targetFile }: Judgeable, tamper: Tamper | undefined, target: string): boolean {
  const hasOther =
    tamper?.sockets !== undefined ||
    tamper?.pieceBytes !== undefined ||
    tamper?.delayMs !== undefined ||
    tamper?.addresses === true;
  const hasRules = rules !== undefined && !isDeepStrictEqual(rules(defaultRules), defaultRules);
  return hasOther || hasRules || (targetFile !== undefined && targetFile(target) !== target);
}

/** Wraps changes of messages, and records whether any change occurred. */
function watched(tamper: Tamper, watch: { hasChanged: boolean }): Tamper {
  const noted = <Change>(change: Change | undefined): Change | undefined => {
    watch.hasChanged ||= change !== undefined;
    return change;
  };
  return {
    ...tamper,
    ...(tamper.request === undefined ? {} : { request: (seen) => noted(tamper.request?.(seen)) }),
    ...(tamper.answer === undefined ? {} : { answer: (seen, whole) => noted(tamper.answer?.(seen, whole)) }),
  };
}

/**
 * Returns the requirements by which a mutant with a provider stub is judged: `referenceStubRows` if they contain its
 * target, otherwise those of `stubRows` in the generation of its target. Requirements of other generations would
 * dispatch further tasks.
 */
function rowsBeside({ target = 'PROVIDER-01' }: Judgeable): readonly string[] {
  if (referenceStubRows.includes(target)) return referenceStubRows;
  const generations = (['v2', 'v3', 'v4'] as const).filter((one) => listIds(one).includes(target));
  const near = generations.flatMap((one) => listIds(one));
  return stubRows.filter((id) => near.includes(id) && (id === target || id !== 'PROVIDER-01'));
}

function listIds(generation: 'v2' | 'v3' | 'v4'): string[] {
  return listRequirements([generation]).map(({ id }) => id);
}

function selectRows(mutant: Judgeable): Pick<RunOptions, 'only'> {
  if (mutant.only !== undefined) return { only: mutant.only };
  if (mutant.server === 'providers')
    return { only: [...(isBroken(mutant) ? rowsBeside(mutant) : [...stubRows, ...referenceStubRows])] };
  return isBroken(mutant) && mutant.server === 'reference' ? { only: contractAreas } : {};
}

function mostDispatches(mutant: Judgeable): number {
  return mutant.server === 'providers' && isBroken(mutant) ? providerDispatchesMax : dispatchesMax;
}

function isBroken({ rules, tamper, isLegal = false }: Judgeable): boolean {
  return !isLegal && (rules !== undefined || tamper !== undefined);
}

/**
 * Returns the deadlines of a run: short for a broken server, which may never finish, and long for a correct server,
 * because the machine may be slow.
 */
function getDeadlines(mutant: Judgeable): { readonly startDeadlineMs: number; readonly settleDeadlineMs: number } {
  return isBroken(mutant)
    ? { startDeadlineMs: 1500, settleDeadlineMs: 300 }
    : { startDeadlineMs: 20_000, settleDeadlineMs: 5000 };
}

interface Good {
  readonly address: string;
  /** Text of the server's target file. */
  readonly target: string;
  readonly world: World;
  stop(): Promise<void>;
}

async function start(mutant: Judgeable): Promise<Good> {
  const { server, rules } = mutant;
  const book = rules?.(defaultRules) ?? defaultRules;
  if (server === 'mock') {
    const mock = await createMock({ apiKey: testKey, rules: book, log: pino({ level: 'silent' }) });
    const address = await mock.listen(0, '127.0.0.1');
    const world = createWorld(address, () => Date.now());
    return { address, target: 'stateless: true\n', world, stop: () => mock.close() };
  }
  if (server === 'providers') {
    const stubbed = await startWithStub(book);
    const stub = JSON.stringify({ listen: new URL(stubbed.stub.address).host, ownKeyEndings });
    const own = `providerStub: ${stub}\nownKeys: [${storedKey.provider}]\nlimits: { sessionsAtOnce: 8 }\n`;
    return goodServer(stubbed, own + referenceTarget(stubbed.control, getDeadlines({ server })));
  }
  if (server === 'chromium') {
    const real = await startRealBackend({ rules: book, verifyEveryNth });
    return goodServer(
      real,
      browserTarget(real.control, { intervalMs: 20, startDeadlineMs: 15_000, settleDeadlineMs: 2000 }),
    );
  }
  if (server === 'scripted') {
    const quick = await startBackend({ rules: book, verifyEveryNth, host: createScriptedHost() });
    return goodServer(
      quick,
      browserTarget(quick.control, { intervalMs: 3, startDeadlineMs: 1500, settleDeadlineMs: 100 }),
    );
  }
  const started = await startBackend({ rules: book, verifyEveryNth });
  return goodServer(started, referenceTarget(started.control, getDeadlines(mutant)));
}

function goodServer(started: StartedBackend, target: string): Good {
  const world = createWorld(started.address, () => started.clock.now());
  return { address: started.address, target, world, stop: () => started.stop() };
}

/**
 * Returns a target file with these polling options and this control URL. Through the URL the suite advances the clock
 * of the service.
 */
function browserTarget(control: string, polling: Readonly<Record<string, number>>): string {
  return `control: ${control}\npolling: ${JSON.stringify(polling)}\n`;
}

/** Returns the target file of the reference with deadlines for simulated browsers. */
function referenceTarget(
  control: string,
  { startDeadlineMs, settleDeadlineMs }: ReturnType<typeof getDeadlines>,
): string {
  const text = readFileSync('examples/targets/reference.yaml', 'utf8');
  const polling = [
    'intervalMs: 3',
    `startDeadlineMs: ${startDeadlineMs}`,
    `taskDeadlineMs: ${startDeadlineMs}`,
    `settleDeadlineMs: ${settleDeadlineMs}`,
  ].join('\n  ');
  return `${text.replace(/intervalMs: \d+/, polling).replace(/slow \d+/, 'slow 1')}control: ${control}\n${noBrowsers}`;
}
