import { Command } from 'commander';
import { exitCodes, waitForSignal } from '../process-end.ts';
import { addMockFlags, type MockFlags, type StartedMock, statefulDefaults } from '../mock/mock-flags.ts';
import { withWaitMessage } from '../with-wait-message.ts';

/** For each option that needs `--stateful`: the reason why a stateless mock refuses the option, and the alternative. */
const withoutSessions = {
  speed: 'answers from the documents have no clock. Add --stateful, or hold answers back with --latency',
  sessionsMax: 'answers from the documents keep no sessions. Add --stateful',
  control:
    'answers from the documents keep nothing and have no clock. Add --stateful; without it, --fault-rate breaks answers and /log shows what was asked',
};

const spelled = { speed: '--speed', sessionsMax: '--sessions-max', control: '--control' };

/**
 * Creates `svc mock`, which serves all three API versions on one port. It answers from the documents, from a recording
 * with `--replay`, or from stored resources with `--stateful`.
 */
export function mockCommand(): Command {
  const command = new Command('mock').description(
    'Answer V2, V3 and V4 without cost or browser: from the documents, or with sessions that change state (--stateful).',
  );
  return addMockFlags(command).action(mock);
}

async function mock(flags: MockFlags, command: Command): Promise<void> {
  const statefulOnly = (['speed', 'sessionsMax', 'control'] as const).find((name) => flags[name] !== undefined);
  if (statefulOnly !== undefined && !flags.stateful)
    command.error(`error: option '${spelled[statefulOnly]}' needs --stateful: ${withoutSessions[statefulOnly]}`, {
      exitCode: exitCodes.usage,
    });
  const started = await withWaitMessage('starting', () => start(flags));
  const stopped = waitForSignal();
  console.log(`API key: ${flags.apiKey} (header X-Service-API-Key)`);
  if (started.controlAddress !== null) console.log(`control on ${started.controlAddress}`);
  console.log(`request log on ${started.address}/log`);
  console.log(`listening on ${started.address}`);
  await stopped;
  await started.close();
  process.exitCode = exitCodes.ok;
}

async function start({ latency, verbose, replay, ...flags }: MockFlags): Promise<StartedMock> {
  const options = { ...flags, latencyMs: latency ?? null, logLevel: verbose ? 'info' : 'error' };
  if (flags.stateful) {
    const { startStateful } = await import('../mock/open-stateful.ts');
    return startStateful({ ...statefulDefaults, control: null, ...options });
  }
  if (replay !== undefined) {
    const { startReplay } = await import('../mock/start-stateless.ts');
    return startReplay({ replay, ...options });
  }
  const { startStateless } = await import('../mock/start-stateless.ts');
  return startStateless(options);
}
