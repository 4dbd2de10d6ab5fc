import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { createSimulatedHost } from '#browsers/index.ts';
import { createClock } from '#lib/clock.ts';
import { createBackend } from '#api/create-backend.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createHttpModels } from './model-stub.ts';
import { createSteppingAgent } from './stepping-agent.ts';

/*
 * The measured service in a child process: simulated browsers, a model stub over HTTP, and an agent that only calls the
 * model and records steps. Its arguments are the folder, the model's URL, a key and a number of steps. It sends its
 * URL, and on request its memory and step times.
 */
const [dataFolder = '', model = '', key = '', steps = '1'] = process.argv.slice(2);
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
/** Duration of each step without its model call, in milliseconds. */
const overheads: number[] = [];
const called = new Map<string, number>();
const backend = await createBackend({
  dataFolder,
  clock: createClock(),
  host: createSimulatedHost(),
  agent: createSteppingAgent({
    steps: Number(steps),
    onStep(goal, ms) {
      overheads.push(ms - (called.get(goal) ?? 0));
    },
  }),
  models: createHttpModels(model, (goal, ms) => called.set(goal, ms)),
  rules: defaultRules,
  limits: { inactivityMs: 900_000, activeSessionsMax: 10_000 },
  log: pino({ level: 'error' }),
  bootstrapKeys: [key],
  verifyEveryNth: 1000,
});
process.on('message', (asked) => {
  if (asked === 'held') void held().then((bytes) => process.send?.({ bytes }));
  if (asked === 'overheads') process.send?.({ overheads: overheads.splice(0) });
});
process.once('disconnect', () => void backend.close());
process.send?.({ address: await backend.listen({ host: '127.0.0.1', port: 0 }) });

/** Returns the resident memory of the process in bytes after three garbage collections. */
async function held(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await setTimeout(100);
  }
  const { rss } = process.memoryUsage();
  return rss;
}
