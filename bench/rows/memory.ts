import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getAnswer, getId } from '../service-access.ts';
import { type Clients, startClients } from '../clients/clients.ts';
import { heldBytes } from '../process-usage.ts';
import { endProgram } from '../run-program.ts';
import type { BenchRow } from '../table/bench-row.ts';
import type { StagedService } from '../table/stage.ts';

const [kibibyte, mebibyte] = [1024, 1024 * 1024];
const sessions = 1000;
const tasks = 400;

/** Memory of a new service against an empty server, and memory of each additional living session and of each event. */
export const memory: BenchRow = {
  ids: ['idle-memory', 'session-memory', 'event-memory'],
  async measure(stage) {
    const service = await stage.service('memory', '--hosts', 'simulated', '--sessions-max', '100000');
    const clients = startClients();
    try {
      const [idle, bare] = [await heldBytes(service.pid), await bareBytes()];
      // The first sessions load code and data that a service loads only once.
      const keeper = await warmUp(service, clients);
      const before = await heldBytes(service.pid);
      await create(service, clients, sessions);
      const living = await heldBytes(service.pid);
      const eventsBefore = eventsIn(service);
      await followUp(service, keeper);
      const events = eventsIn(service) - eventsBefore;
      const later = await heldBytes(service.pid);
      return [
        { id: 'idle-memory', ours: [idle / mebibyte], anchor: [bare / mebibyte], note: 'with simulated browsers' },
        {
          id: 'session-memory',
          ours: [(living - before) / sessions / kibibyte],
          anchor: [],
          note: `${sessions} of them`,
        },
        { id: 'event-memory', ours: [(later - living) / events / kibibyte], anchor: [], note: `${events} of them` },
      ];
    } finally {
      clients.end();
      await stage.end('memory');
    }
  },
};

async function warmUp(service: StagedService, clients: Clients): Promise<string> {
  const [keeper = ''] = await create(service, clients, 50);
  await followUp(service, keeper, 50);
  return keeper;
}

/** Creates living sessions; returns their ids. */
async function create({ address, key }: StagedService, clients: Clients, count: number): Promise<string[]> {
  const headers = { 'x-service-api-key': key };
  const request = { method: 'POST', url: `${address}/api/v3/sessions`, headers, body: '{"keepAlive":true}' } as const;
  const requests = Array.from({ length: count }, () => request);
  const { bodies } = await clients.send({ requests, connections: 10, status: 200, keepBodies: true });
  return bodies.map((text) => getId(JSON.parse(text)));
}

/** Gives a session several tasks one after the other. */
async function followUp({ address, key }: StagedService, sessionId: string, count = tasks): Promise<void> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const sessionsAt = `${address}/api/v3/sessions`;
  for (let task = 0; task < count; task += 1) {
    while (getStatus(await getAnswer(`${sessionsAt}/${sessionId}`, { headers }, 200)) !== 'idle');
    const body = JSON.stringify({ sessionId, task: `Say ${task}` });
    await getAnswer(sessionsAt, { method: 'POST', headers, body }, 200);
  }
}

function getStatus(session: unknown): unknown {
  return typeof session === 'object' && session !== null && 'status' in session ? session.status : null;
}

function eventsIn({ dataFolder }: StagedService): number {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { readOnly: true });
  try {
    return Number(database.prepare('select count(*) as count from events').get()?.['count']);
  } finally {
    database.close();
  }
}

async function bareBytes(): Promise<number> {
  const hook = ['--import', './bench/collect-on-signal.ts'];
  const child = spawn(process.execPath, [...hook, 'bench/empty-server.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    // Without output, the server has ended.
    const [printed] = await Promise.race([once(child.stdout, 'data'), once(child.stdout, 'close')]);
    if (printed === undefined) throw new Error('the empty server ended before it listened');
    return await heldBytes(child.pid ?? 0);
  } finally {
    await endProgram(child);
  }
}
