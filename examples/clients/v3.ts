/** V3: creates a session with a task, waits until the session no longer runs, prints the output and the cost. */
const base = `${process.env['SERVICE_URL'] ?? 'http://127.0.0.1:4010'}/api/v3`;
const key = process.env['SERVICE_API_KEY'] ?? 'svc_mock';
const goal = process.argv[2] ?? 'Reply with the word ready';

/** Sends a request and returns the JSON body; throws with the text of any unsuccessful response. */
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: { 'X-Service-API-Key': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document of the interface says so
  return (await response.json()) as Answer;
}

interface Session {
  readonly id: string;
  readonly status: 'created' | 'idle' | 'running' | 'stopped' | 'timed_out' | 'error';
  readonly output?: unknown;
  readonly isTaskSuccessful?: boolean | null;
  readonly totalCostUsd: string;
}

let session = await call<Session>('POST', '/sessions', { task: goal, model: 'claude-sonnet-5', maxCostUsd: 0.5 });
while (session.status === 'created' || session.status === 'running') {
  await new Promise((done) => setTimeout(done, 500));
  session = await call<Session>('GET', `/sessions/${session.id}`);
}
console.log(`${session.status}: ${String(session.output)} (${session.totalCostUsd} USD)`);
process.exitCode = session.isTaskSuccessful === true ? 0 : 1;
