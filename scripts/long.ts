import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { proveCycles } from './long/cycles/prove-cycles.ts';
import { proveFuzz } from './long/fuzz/prove-fuzz.ts';
import { proveKills } from './long/kills/prove-kills.ts';
import { provePostgres } from './long/prove-postgres.ts';
import { proveSeeds } from './long/prove-seeds.ts';
import { proveTeeth } from './long/prove-teeth.ts';
import { proveScale } from './long/scale/prove-scale.ts';
import { proveSoak } from './long/soak/prove-soak.ts';
import { proveTasks } from './long/tasks/prove-tasks.ts';

/**
 * What takes too long for `npm test`. Each can be ended with Ctrl-C and goes on where it was when it is started again on the
 * same commit; what it has found stands in docs/evidence/.
 *
 * npm run long -- cycles  create, use, kill and stop 100 browsers (--cycles, --seed): whatever stays behind is a fault
 * npm run long -- fuzz    send 1,000,000 requests of every kind to a service (--requests, --seed, --replay): whatever is no answer is a fault
 * npm run long -- kills   kill services and browsers 100 times while clients work (--kills, --seed, --database postgres): whatever was acknowledged and is not so is a fault
 * npm run long -- postgres run the tests of state on a PostgreSQL that they start
 * npm run long -- scale   judge two processes that answer and two that work, in quiet and while workers are killed (--seed, --only simulated, --rows): whatever fails and has not died with a worker is a fault
 * npm run long -- seeds   judge good and legal servers at many seeds: every finding is a false alarm
 * npm run long -- soak    use a service for half an hour (--minutes): whatever grows over its windows is a fault
 * npm run long -- tasks   give the tasks of fixtures/tasks to the agent: what is claimed and is not so is a fault (--only)
 * npm run long -- teeth   judge every broken server: every survivor and every check that kills nothing is a fault
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Servers or tasks to take, by a part of their names, or the browsers of `kills` and `scale` (simulated, local); all when absent. */
    only: { type: 'string' },
    /** Seeds of each server at most; its own count when absent. */
    seeds: { type: 'string' },
    /** Processes that work at once. */
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** Ends after this time with what has been found, to go on later. */
    minutes: { type: 'string' },
    /** Browsers that `cycles` sends through a life. */
    cycles: { type: 'string', default: '100' },
    /** Requests that `fuzz` sends. */
    requests: { type: 'string', default: '1000000' },
    /** Processes that `kills` ends. */
    kills: { type: 'string', default: '100' },
    /** Rows that `scale` judges, as `--only` of `svc check`; all when absent. */
    rows: { type: 'string', default: '' },
    /** Where `kills` has the service keep its state: sqlite or postgres. */
    database: { type: 'string', default: 'sqlite' },
    /** One request that `fuzz` has printed with a fault, to be sent alone. */
    replay: { type: 'string' },
    /** What `cycles`, `fuzz`, `kills` and `scale` draw by; drawn when absent. */
    seed: { type: 'string' },
    /** Begins anew, whatever was found before. */
    fresh: { type: 'boolean', default: false },
  },
});
const options = {
  only: values.only ?? '',
  seedsMax: Number(values.seeds ?? Number.POSITIVE_INFINITY),
  jobs: Number(values.jobs),
  minutes: Number(values.minutes ?? Number.POSITIVE_INFINITY),
  fresh: values.fresh,
  cycles: Number(values.cycles),
  requests: Number(values.requests),
  kills: Number(values.kills),
  database: values.database,
  rows: values.rows,
  replay: values.replay,
  seed: values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed),
};
const proofs: Readonly<Record<string, (of: typeof options) => Promise<boolean>>> = {
  cycles: proveCycles,
  fuzz: proveFuzz,
  kills: proveKills,
  postgres: provePostgres,
  scale: proveScale,
  seeds: proveSeeds,
  soak: proveSoak,
  tasks: proveTasks,
  teeth: proveTeeth,
};
const prove = proofs[positionals[0] ?? ''];
if (prove === undefined) {
  console.error(`expected one of ${Object.keys(proofs).join(', ')}: npm run long -- seeds`);
  process.exitCode = 2;
} else {
  process.exitCode = (await prove(options)) ? 0 : 1;
}
