import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Report,
  SuiteError,
  checkClient,
  observeClient,
  runVerdict,
  type ServiceUnderClient,
} from '#conformance/index.ts';
import { type Outputs, checkOutputs, readOutputs, writeOutputs } from '../check/outputs.ts';
import { type Flags, readTarget, text } from '../check/read-flags.ts';
import { endSignals, waitForSignal, exitCodes } from '../process-end.ts';
import { printError } from '../print.ts';
import { createDefaultLog } from '#mock/request-log/watch-calls.ts';
import { createLog } from '../create-log.ts';
import { statefulDefaults } from '../mock/mock-flags.ts';
import { openStateful } from '../mock/open-stateful.ts';

/** Runs `svc check-client`; returns the exit code. */
export async function runCheckClient([program, ...given]: readonly string[], flags: Flags): Promise<number> {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  checkOutputs(outputs, { hasRecording: false });
  const observed = text(flags, 'observe');
  if (observed !== undefined && program !== undefined) throw bothKinds(program);
  if (observed !== undefined) return finish(await observe(observed, flags), { outputs, flags });
  if (program === undefined) throw noProgram();
  // Client programs run in their own process groups, which Ctrl-C does not reach. These programs end with this process.
  for (const name of endSignals) process.once(name, () => process.exit(exitCodes.interrupted));
  const only = text(flags, 'only')
    ?.split(',')
    .map((word) => word.trim());
  const report = await checkClient({
    command: [program, ...given],
    openService,
    ...(only === undefined ? {} : { only }),
    seed: Number(flags['seed']),
    concurrency: Number(flags['concurrency']),
  });
  return finish(report, { outputs, flags });
}

function finish(report: Report, { outputs, flags }: { readonly outputs: Outputs; readonly flags: Flags }): number {
  const judged = flags['strict'] === true ? { ...report, strict: true } : report;
  writeOutputs(judged, outputs);
  return runVerdict(judged).exitCode;
}

async function observe(url: string, { port }: Flags): Promise<Report> {
  readTarget(url, undefined); // Refuses a malformed URL before the proxy starts.
  const stopped = waitForSignal();
  const given = typeof port === 'number' ? { port } : {};
  const observation = await observeClient({ url, ...given, onRequest: (line) => printError(`${line}\n`) });
  printError(`point the client to ${observation.address}; Ctrl-C shows the report\n`);
  await stopped;
  await observation.close();
  return observation.judge();
}

function noProgram(): SuiteError {
  return new SuiteError('usage', {
    found: 'no program',
    expected: 'a program and its arguments after --',
    next: 'try `svc check-client -- node adapter.mjs`',
  });
}

function bothKinds(program: string): SuiteError {
  return new SuiteError('usage', {
    found: `the program ${program} beside --observe`,
    expected: 'a program after --, or --observe URL',
    next: 'leave one of them out: with --observe, start the client yourself',
  });
}

const apiKey = 'svc_mock';

/**
 * Number of event-loop ticks to wait after the clock was advanced, so that the work of the mock that became due is
 * done.
 */
const turnsPerStep = 8;

/** Starts a stateful mock for one trial of a client, on a free loopback port. */
export async function openService(seed: number): Promise<ServiceUnderClient> {
  const same = { host: '127.0.0.1', port: 0, apiKey, seed, latencyMs: null, faultRate: 0, logLevel: 'silent' };
  const parts = { log: createLog('silent'), ...createDefaultLog(apiKey) };
  const mock = await openStateful({ ...statefulDefaults, ...same, control: null }, parts);
  return {
    address: mock.address,
    apiKey,
    async advance(ms) {
      mock.clock.advance(ms);
      for (let turn = 0; turn < turnsPerStep; turn += 1) await nextTurn();
    },
    async close() {
      await mock[Symbol.asyncDispose]();
    },
  };
}
