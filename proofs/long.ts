import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { readCount } from '../src/cli/flag-values.ts';
import { proveClients } from './clients/prove-clients.ts';
import { proveCycles } from './cycles/prove-cycles.ts';
import { proveFuzz } from './fuzz/prove-fuzz.ts';
import { proveInterrupts } from './interrupts/prove-interrupts.ts';
import { proveKills } from './kills/prove-kills.ts';
import { proveMangled } from './mangled/prove-mangled.ts';
import { proveMutants } from './mutants/prove-mutants.ts';
import { proveSeeds } from './prove-seeds.ts';
import { proveTeeth } from './prove-teeth.ts';
import { proveReplays } from './replays/prove-replays.ts';
import { proveSchedules } from './schedules/run-schedules.ts';
import { proveScale } from './scale/prove-scale.ts';
import { proveSoak } from './soak/prove-soak.ts';
import { proveStalls } from './stalls/prove-stalls.ts';
import { proveStrains } from './strains/prove-strains.ts';
import { proveStranger } from './stranger/prove-stranger.ts';
import { proveTasks } from './tasks/prove-tasks.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Default options of all proofs; each proof uses the options for which it has a flag. */
const usual = {
  only: '',
  seedsMax: Number.POSITIVE_INFINITY,
  jobs: availableParallelism(),
  minutes: Number.POSITIVE_INFINITY,
  fresh: false,
  cycles: 100,
  requests: 1_000_000,
  interrupts: 1_000,
  kills: 100,
  mutants: 1_000,
  inputs: 200,
  replays: 1_500,
  rounds: 100,
  rows: '',
  database: 'sqlite',
};
type Given = typeof usual & { readonly seed: number; readonly replay?: string; readonly input?: number };

const flags = {
  only: new Option('--only <part>', 'part of the names of servers, clients or tasks; all when absent').default(''),
  hosts: new Option('--only <browsers>', 'kind of browsers; both when absent').choices(['simulated', 'local']),
  seeds: new Option('--seeds <count>', 'maximum number of seeds of each server; its default when absent').argParser(
    readCount,
  ),
  jobs: new Option('--jobs <count>', 'processes that work at once').argParser(readCount).default(usual.jobs),
  minutes: new Option('--minutes <count>', 'end after this time, with the results so far').argParser(readCount),
  fresh: new Option('--fresh', 'start again, without earlier results').default(false),
  cycles: new Option('--cycles <count>', 'number of browsers').argParser(readCount).default(usual.cycles),
  requests: new Option('--requests <count>', 'requests to send').argParser(readCount).default(usual.requests),
  interrupts: new Option('--interrupts <count>', 'tasks to end').argParser(readCount).default(usual.interrupts),
  kills: new Option('--kills <count>', 'processes to end').argParser(readCount).default(usual.kills),
  mutants: new Option('--mutants <count>', 'maximum number of mutants of the code, and of changes of documents')
    .argParser(readCount)
    .default(usual.mutants),
  keys: new Option('--only <key>', 'part of the keys of mutants; all when absent').default(''),
  inputs: new Option('--inputs <count>', 'inputs to send to each entry point')
    .argParser(readCount)
    .default(usual.inputs),
  input: new Option('--input <number>', 'send only this input, as printed with --only').argParser(Number),
  entries: new Option('--only <entry>', 'part of the names of entry points; all when absent').default(''),
  rounds: new Option('--rounds <count>', 'rounds of each strain').argParser(readCount).default(usual.rounds),
  rows: new Option('--rows <rows>', 'rows to judge, as --only of svc check; all when absent').default(''),
  database: new Option('--database <kind>', 'database of the state').choices(['sqlite', 'postgres']),
  replay: new Option('--replay <request>', 'send only this request, as printed with a fault'),
  replays: new Option('--replays <count>', 'maximum number of replays').argParser(readCount).default(usual.replays),
  seed: new Option('--seed <number>', 'seed of random choices; random when absent').argParser(readCount),
};

/** A proof, which takes too long for `npm test`. */
interface Proof {
  readonly name: string;
  readonly what: string;
  readonly flags: readonly (keyof typeof flags)[];
  readonly prove: (given: Given) => Promise<boolean>;
}

const proofs: readonly Proof[] = [
  {
    name: 'clients',
    what: 'judge good clients at many seeds, and every broken client by all rules; fault: a false alarm',
    flags: ['only', 'seeds', 'minutes', 'fresh'],
    prove: proveClients,
  },
  {
    name: 'cycles',
    what: 'create, use, kill and stop browsers; fault: a remaining process, file or unpaid second',
    flags: ['cycles', 'seed', 'minutes'],
    prove: proveCycles,
  },
  {
    name: 'fuzz',
    what: 'send random requests to a service; fault: an answer that its document does not allow',
    flags: ['requests', 'seed', 'minutes', 'replay'],
    prove: proveFuzz,
  },
  {
    name: 'interrupts',
    what: 'end tasks in real browsers at random moments; fault: an effect on the next run',
    flags: ['interrupts', 'seed', 'minutes', 'jobs'],
    prove: proveInterrupts,
  },
  {
    name: 'kills',
    what: 'kill services and browsers while clients work; fault: an acknowledged write that is lost or changed',
    flags: ['kills', 'seed', 'database', 'hosts'],
    prove: proveKills,
  },
  {
    name: 'mangled',
    what: 'judge a server whose answers are changed at random; fault: a run without a report, or an error of the suite',
    flags: ['seed', 'seeds', 'minutes'],
    prove: proveMangled,
  },
  {
    name: 'mutants',
    what: 'judge mutants that a tool makes of the code and the documents; fault: a survivor that breaks the contract',
    flags: ['mutants', 'keys', 'seed', 'minutes', 'fresh'],
    prove: proveMutants,
  },
  {
    name: 'postgres',
    what: 'run the tests of storage on a PostgreSQL that they start',
    flags: [],
    prove: provePostgres,
  },
  {
    name: 'replays',
    what: 'play the scripts of tasks on changed pages; fault: a wrong action, or a model call on an unchanged page',
    flags: ['replays', 'only', 'seed', 'minutes'],
    prove: proveReplays,
  },
  {
    name: 'scale',
    what: 'judge two API processes and two workers, undisturbed and while workers are killed; fault: a failure that no kill explains',
    flags: ['seed', 'hosts', 'rows'],
    prove: proveScale,
  },
  {
    name: 'schedules',
    what: 'kill a service while scheduled tasks are due; fault: a time that starts no session, or two',
    flags: ['kills', 'seed'],
    prove: proveSchedules,
  },
  {
    name: 'seeds',
    what: 'judge correct servers at many seeds; fault: any finding',
    flags: ['only', 'seeds', 'jobs', 'minutes', 'fresh'],
    prove: proveSeeds,
  },
  {
    name: 'soak',
    what: 'use a service for half an hour; fault: growth over its windows',
    flags: ['minutes'],
    prove: proveSoak,
  },
  {
    name: 'stalls',
    what: 'send the worst inputs to every entry point; fault: an input that blocks the event loop or takes much memory',
    flags: ['entries', 'inputs', 'input', 'seed', 'minutes', 'fresh'],
    prove: proveStalls,
  },
  {
    name: 'strains',
    what: 'fill the disk, lock the database and move the clock while clients work; fault: an acknowledged write or task that is lost or stuck; needs root or `unshare -Urm`',
    flags: ['rounds', 'seed', 'only'],
    prove: proveStrains,
  },
  {
    name: 'stranger',
    what: 'judge a server written from the contract and the companion alone, unbroken and with each of its faults; fault: a false alarm, or a fault that is not caught',
    flags: ['only', 'seeds', 'minutes', 'fresh'],
    prove: proveStranger,
  },
  {
    name: 'tasks',
    what: 'give the tasks of fixtures/tasks to the agent; fault: a false claim of success',
    flags: ['only', 'jobs'],
    prove: proveTasks,
  },
  {
    name: 'teeth',
    what: 'judge every broken server; fault: one that is not caught, or a check that catches none',
    flags: ['only', 'jobs', 'minutes', 'fresh'],
    prove: proveTeeth,
  },
];

const program = new Command('npm run long --')
  .description('Proofs that take too long for npm test. Results go to docs/evidence/; exit code 1 for a fault.')
  .addHelpText('after', '\nExample:\n  npm run long -- kills --kills 20 --database postgres')
  .showHelpAfterError();
for (const { name, what, flags: own, prove } of proofs) {
  const command = program.command(name).description(what);
  for (const flag of own) command.addOption(flags[flag]);
  command.action(async ({ seeds, ...given }: Partial<Given> & { readonly seeds?: number }) => {
    const seedsMax = seeds ?? usual.seedsMax;
    const holds = await prove({ ...usual, seed: randomInt(2 ** 31), ...given, seedsMax });
    process.exitCode = holds ? 0 : 1;
  });
}
await program.parseAsync();

/** Runs all tests that support PostgreSQL on a PostgreSQL server; returns true if all pass. */
async function provePostgres(): Promise<boolean> {
  const tests = spawn('npx', ['vitest', 'run', '--mode', 'postgres'], {
    env: { ...process.env, SVC_POSTGRES: 'all' },
    stdio: 'inherit',
  });
  const [code]: unknown[] = await once(tests, 'exit');
  return code === 0;
}
