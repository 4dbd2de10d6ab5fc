import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { BusMessage, WorkerBus } from './worker-bus.ts';

/** Where pg-boss keeps its tables. */
const schema = 'svc_work';
/** Its connections besides the one that listens. */
const connections = 4;
/** A process that does not hear that something came looks for it as often. */
const lookSeconds = 2;
/** How many messages a process takes at once; each is worked on by itself. */
const takenAtOnce = 100;
/** A message is done with when it is taken. */
const keptSeconds = 60;

/**
 * Messages as jobs of pg-boss in a PostgreSQL database: a queue for each process, which is woken by a notification. A job is taken once, and
 * never a second time. Rejects when the database cannot be reached.
 */
export async function openPgBossBus(address: string, log: Logger): Promise<WorkerBus> {
  const boss = new PgBoss({
    connectionString: address,
    schema,
    max: connections,
    application_name: 'svc work',
    useListenNotify: true,
    schedule: false,
  });
  boss.on('error', (error) => log.error({ err: error }, 'the queues of the processes'));
  await boss.start();
  let own: string | null = null;
  return {
    async send(to, message) {
      try {
        await boss.send(queueOf(to), message);
        return true;
      } catch (error) {
        if ((await boss.getQueue(queueOf(to))) === null) return false;
        throw error;
      }
    },
    async listen(self, hear) {
      own = queueOf(self);
      await boss.createQueue(own, {
        notify: true,
        retryLimit: 0,
        expireInSeconds: keptSeconds,
        deleteAfterSeconds: keptSeconds,
      });
      const options = {
        batchSize: takenAtOnce,
        pollingIntervalSeconds: lookSeconds,
        notifyPollingIntervalSeconds: lookSeconds,
      };
      await boss.work<BusMessage>(own, options, async (jobs) => {
        for (const { data } of jobs) hear(data);
      });
    },
    forget: (dead) => deleteQueue(boss, queueOf(dead)),
    async close() {
      if (own !== null) {
        await boss.offWork(own);
        // Where the others took this process for dead it is gone already.
        await deleteQueue(boss, own);
      }
      await boss.stop({ graceful: false });
    },
  };
}

/** Deletes a queue unless it is gone. */
async function deleteQueue(boss: PgBoss, queue: string): Promise<void> {
  try {
    if ((await boss.getQueue(queue)) !== null) await boss.deleteQueue(queue);
  } catch (error) {
    // Another process was first.
    if ((await boss.getQueue(queue)) !== null) throw error;
  }
}

function queueOf(worker: string): string {
  return `svc-${worker}`;
}
