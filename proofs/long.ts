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

/** Default options of all proofs; each proof uses those that it has a flag for. */
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
  only: new Option(
    '--only <part>',
    'servers, clients or tasks to take, by a part of their names; all when absent',
  ).default(''),
  hosts: new Option('--only <browsers>', 'browsers to take; both when absent').choices(['simulated', 'local']),
  seeds: new Option('--seeds <count>', 'seeds of each server at most; its own count when absent').argParser(readCount),
  jobs: new Option('--jobs <count>', 'processes that work at once').argParser(readCount).default(usual.jobs),
  minutes: new Option('--minutes <count>', 'end after this time, with what was found').argParser(readCount),
  fresh: new Option('--fresh', 'begin anew, whatever was found before').default(false),
  cycles: new Option('--cycles <count>', 'browsers to send through a life').argParser(readCount).default(usual.cycles),
  requests: new Option('--requests <count>', 'requests to send').argParser(readCount).default(usual.requests),
  interrupts: new Option('--interrupts <count>', 'tasks to end').argParser(readCount).default(usual.interrupts),
  kills: new Option('--kills <count>', 'processes to end').argParser(readCount).default(usual.kills),
  mutants: new Option('--mutants <count>', 'mutants of the code, and changes of documents, to judge at most')
    .argParser(readCount)
    .default(usual.mutants),
  keys: new Option('--only <key>', 'mutants to judge, by a part of their keys; all when absent').default(''),
  inputs: new Option('--inputs <count>', 'inputs to send to each entry point')
    .argParser(readCount)
    .default(usual.inputs),
  input: new Option('--input <number>', 'one input to send alone, as it was printed with --only').argParser(Number),
  entries: new Option('--only <entry>', 'entry points to take, by a part of their names; all when absent').default(''),
  rounds: new Option('--rounds <count>', 'rounds of each strain').argParser(readCount).default(usual.rounds),
  rows: new Option('--rows <rows>', 'rows to judge, as --only of svc check; all when absent').default(''),
  database: new Option('--database <kind>', 'where state is kept').choices(['sqlite', 'postgres']),
  replay: new Option('--replay <request>', 'one request that was printed with a fault, to be sent alone'),
  replays: new Option('--replays <count>', 'scripts to play at most').argParser(readCount).default(usual.replays),
  seed: new Option('--seed <number>', 'what is drawn by; drawn when absent').argParser(readCount),
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
    what: 'judge good clients at many seeds, and every broken client by all rules: a false alarm is a fault',
    flags: ['only', 'seeds', 'minutes', 'fresh'],
    prove: proveClients,
  },
  {
    name: 'cycles',
    what: 'create, use, kill and stop browsers: whatever stays behind is a fault',
    flags: ['cycles', 'seed', 'minutes'],
    prove: proveCycles,
  },
  {
    name: 'fuzz',
    what: 'send requests of every kind to a service: whatever is no answer is a fault',
    flags: ['requests', 'seed', 'minutes', 'replay'],
    prove: proveFuzz,
  },
  {
    name: 'interrupts',
    what: 'end tasks in real browsers at random moments: whatever the next run sees of them is a fault',
    flags: ['interrupts', 'seed', 'minutes', 'jobs'],
    prove: proveInterrupts,
  },
  {
    name: 'kills',
    what: 'kill services and browsers while clients work: whatever was acknowledged and is not so is a fault',
    flags: ['kills', 'seed', 'database', 'hosts'],
    prove: proveKills,
  },
  {
    name: 'mangled',
    what: 'judge a server whose answers are mangled at random: a run without a report or with an error of the suite is a fault',
    flags: ['seed', 'seeds', 'minutes'],
    prove: proveMangled,
  },
  {
    name: 'mutants',
    what: 'judge mutants of the code and the documents that a tool made: a survivor that breaks the contract is a fault',
    flags: ['mutants', 'keys', 'seed', 'minutes', 'fresh'],
    prove: proveMutants,
  },
  { name: 'postgres', what: 'run the tests of state on a PostgreSQL that they start', flags: [], prove: provePostgres },
  {
    name: 'replays',
    what: 'play the scripts of tasks on pages that have drifted: a wrong action, or a model call without drift, is a fault',
    flags: ['replays', 'only', 'seed', 'minutes'],
    prove: proveReplays,
  },
  {
    name: 'scale',
    what: 'judge two processes that answer and two that work, in quiet and while workers are killed: whatever fails and has not died with a worker is a fault',
    flags: ['seed', 'hosts', 'rows'],
    prove: proveScale,
  },
  {
    name: 'schedules',
    what: 'kill a service while scheduled tasks are due: a time that is lost or starts twice is a fault',
    flags: ['kills', 'seed'],
    prove: proveSchedules,
  },
  {
    name: 'seeds',
    what: 'judge good and legal servers at many seeds: every finding is a false alarm',
    flags: ['only', 'seeds', 'jobs', 'minutes', 'fresh'],
    prove: proveSeeds,
  },
  {
    name: 'soak',
    what: 'use a service for half an hour: whatever grows over its windows is a fault',
    flags: ['minutes'],
    prove: proveSoak,
  },
  {
    name: 'stalls',
    what: 'send the worst inputs to every entry point: an input that blocks the event loop or takes much memory is a fault',
    flags: ['entries', 'inputs', 'input', 'seed', 'minutes', 'fresh'],
    prove: proveStalls,
  },
  {
    name: 'strains',
    what: 'fill the disk, lock the database and move the clock while clients work: whatever was acknowledged and is lost or stuck is a fault; needs root or `unshare -Urm`',
    flags: ['rounds', 'seed', 'only'],
    prove: proveStrains,
  },
  {
    name: 'stranger',
    what: 'judge a server that was written from the contract alone, unbroken and with each of its faults: every alarm and every survivor is a fault',
    flags: ['only', 'seeds', 'minutes', 'fresh'],
    prove: proveStranger,
  },
  {
    name: 'tasks',
    what: 'give the tasks of fixtures/tasks to the agent: what is claimed and is not so is a fault',
    flags: ['only', 'jobs'],
    prove: proveTasks,
  },
  {
    name: 'teeth',
    what: 'judge every broken server: every survivor and every check that kills nothing is a fault',
    flags: ['only', 'jobs', 'minutes', 'fresh'],
    prove: proveTeeth,
  },
];

const program = new Command('npm run long --')
  .description('What takes too long for npm test. What it finds stands in docs/evidence/; exit code 1 for a fault.')
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

/** Runs every test that supports PostgreSQL with it; returns whether all pass. */
async function provePostgres(): Promise<boolean> {
  const tests = spawn('npx', ['vitest', 'run', '--mode', 'postgres'], {
    env: { ...process.env, SVC_POSTGRES: 'all' },
    stdio: 'inherit',
  });
  const [code]: unknown[] = await once(tests, 'exit');
  return code === 0;
}
