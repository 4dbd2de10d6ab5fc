/** Keeps a V3 session for several tasks: each task continues in the browser of the previous task. */
const base = `${process.env['SERVICE_URL']}/api/v3`;
const headers = { 'X-Service-API-Key': process.env['SERVICE_API_KEY'] ?? '', 'Content-Type': 'application/json' };

async function ask(path: string, body?: object): Promise<Session> {
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(base + path, init);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document of the interface says so
  return (await response.json()) as Session;
}

/**
 * Waits until a session accepts tasks again, and returns its record. A follow-up to a running session is refused with
 * 409.
 */
async function rested(session: Session): Promise<Session> {
  let now = session;
  while (now.status === 'created' || now.status === 'running') {
    await new Promise((done) => setTimeout(done, 500));
    now = await ask(`/sessions/${now.id}`);
  }
  return now;
}

const goals = process.argv.slice(2);
const options = { keepAlive: true, model: 'claude-sonnet-5', thinkingLevel: 'low', maxCostUsd: 1 };
let session = await rested(await ask('/sessions', { task: goals[0] ?? 'Reply with the word one', ...options }));
console.log(session.output);
for (const task of goals.slice(1)) {
  // Without thinkingLevel the session keeps its level; null restores the provider's default. A value applies from this
  // task on.
  session = await rested(await ask('/sessions', { sessionId: session.id, task, keepAlive: true }));
  console.log(session.output, session.thinkingLevel);
}
console.log((await ask(`/sessions/${session.id}/stop`, {})).status);

interface Session {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly thinkingLevel?: string | null;
}
