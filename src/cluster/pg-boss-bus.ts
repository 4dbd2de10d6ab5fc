import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { BusMessage, WorkerBus } from './worker-bus.ts';

/** PostgreSQL schema of the pg-boss tables. */
const schema = 'svc_work';
/** Number of database connections besides the listening connection. */
const connections = 4;
/** Interval in seconds at which a queue is polled, because a notification may be lost. */
const lookSeconds = 2;
/** Maximum number of messages per fetch; each message is handled on its own. */
const takenAtOnce = 100;
/** Seconds after which pg-boss expires a fetched message, and deletes a handled message. */
const keptSeconds = 60;

/**
 * Opens a bus whose messages are pg-boss jobs in PostgreSQL: one queue per process, woken by notifications. Each job is
 * delivered at most once. Rejects when the database cannot be reached.
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
  let ownQueue: string | null = null;
  return {
    async send(to, message) {
      try {
        await boss.send(queueName(to), message);
        return true;
      } catch (error) {
        if ((await boss.getQueue(queueName(to))) === null) return false;
        throw error;
      }
    },
    async listen(self, hear) {
      ownQueue = queueName(self);
      await boss.createQueue(ownQueue, {
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
      await boss.work<BusMessage>(ownQueue, options, async (jobs) => {
        for (const { data } of jobs) hear(data);
      });
    },
    forget: (dead) => deleteQueue(boss, queueName(dead)),
    async close() {
      if (ownQueue !== null) {
        await boss.offWork(ownQueue);
        // The queue does not exist when other processes have declared this process dead.
        await deleteQueue(boss, ownQueue);
      }
      await boss.stop({ graceful: false });
    },
  };
}

/** Deletes a queue if it exists. */
async function deleteQueue(boss: PgBoss, queue: string): Promise<void> {
  try {
    if ((await boss.getQueue(queue)) !== null) await boss.deleteQueue(queue);
  } catch (error) {
    // Another process deleted it first.
    if ((await boss.getQueue(queue)) !== null) throw error;
  }
}

function queueName(worker: string): string {
  return `svc-${worker}`;
}
