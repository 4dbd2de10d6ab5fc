import { clientFacts } from '#generated/client-facts.ts';
import { controlService, type ServiceUnderClient } from './controlled-service.ts';
import { type Draw, createDraw, type DrawnTrial, type Trial, drawTrial, endMs, pollsAfterEnd } from './trial.ts';
import { type Command, type Program, printedJson, startProgram } from './program.ts';
import { openProxy } from './proxy.ts';
import type { ClientExchange, TrialRun } from './recording.ts';
import { isTerminal } from './states.ts';
import { createTrialInterference } from './trial-interference.ts';

/** Opens an empty service for one trial; `seed` determines its ids and the results of its tasks. */
export type OpenService = (seed: number) => Promise<ServiceUnderClient>;

/** Options of {@link runTrial}. */
export interface TrialOptions {
  readonly command: Command;
  readonly seed: number;
  readonly openService: OpenService;
}

/** Starts the client program once, injects the faults of the trial, and waits until the program ends. */
export async function runTrial(trial: Trial, { command, seed, openService }: TrialOptions): Promise<TrialRun> {
  const draw = createDraw(seed, trial.name);
  const drawn = drawTrial(trial, draw);
  const service = await openService(drawn.work);
  try {
    return await runOn(service, { trial, drawn, draw, command });
  } finally {
    await service.close();
  }
}

interface RunParts {
  readonly trial: Trial;
  readonly drawn: DrawnTrial;
  readonly draw: Draw;
  readonly command: Command;
}

async function runOn(service: ServiceUnderClient, { trial, drawn, draw, command }: RunParts): Promise<TrialRun> {
  const { input, states } = drawn;
  const controlled = controlService(service);
  const ids = await prepared(trial, () => controlled.insert(trial.version));
  const interference = createTrialInterference({ version: trial.version, drawn, draw, service: controlled });
  const key = trial.key === 'absent' ? undefined : `svc_${draw.word()}${draw.word()}${draw.word()}`;
  const watched = createWatch(trial);
  const proxy = await openProxy({ upstream: service, interference, notice: watched.notice });
  try {
    const program = startProgram({
      command,
      environment: {
        SERVICE_API_URL: trial.address === 'slash' ? `${proxy.address}/` : proxy.address,
        [clientFacts.keyVariable]: key,
        SVC_SCENARIO: trial.scenario,
        SVC_INPUT: JSON.stringify(input),
      },
      endMs,
    });
    watched.watch(program);
    const end = await program.ended;
    const { exchanges, sockets } = proxy;
    const planted = { ...interference.planted(), ids };
    const interruptedMs = watched.interruptedMs();
    const seen = { exchanges, sockets, end, interruptedMs, planted, printed: printedJson(end.stdout) };
    return { trial, input, states, key, ...seen };
  } finally {
    await proxy.close();
  }
}

async function prepared({ prepare = 0 }: Trial, insert: () => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < prepare) ids.push(await insert());
  return ids;
}

/**
 * Watches the requests of a program. Interrupts the program if the trial demands it, and kills a program that still
 * polls after a terminal state.
 */
interface Watch {
  readonly notice: (exchange: ClientExchange) => void;
  watch(program: Program): void;
  interruptedMs(): number | undefined;
}

function createWatch({ interruptAfter }: Trial): Watch {
  const startedMs = performance.now();
  let program: Program | undefined;
  let polls = 0;
  let after = 0;
  let interruptedMs: number | undefined;
  return {
    notice(exchange) {
      program?.begin();
      // A follow-up starts a new count.
      if (exchange.kind === 'create') after = 0;
      if (exchange.kind !== 'poll') return;
      polls += 1;
      if (polls === interruptAfter) {
        interruptedMs = performance.now() - startedMs;
        program?.interrupt();
      }
      if (isTerminal(exchange) || after > 0) after += 1;
      // Two requests are free: the poll that shows the end, and the read of the record.
      if (after > pollsAfterEnd + 2) program?.kill('polls on');
    },
    watch: (started) => {
      program = started;
    },
    interruptedMs: () => interruptedMs,
  };
}
