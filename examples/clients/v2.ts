/** V2: submits a task, waits for its end, prints its output. */
const base = `${process.env['SERVICE_URL'] ?? 'http://127.0.0.1:4010'}/api/v2`;
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

interface Task {
  readonly id: string;
  readonly status: 'created' | 'started' | 'finished' | 'stopped';
  readonly output: string | null;
  readonly isSuccess: boolean | null;
}

const { id } = await call<Task>('POST', '/tasks', { task: goal, llm: 'gemini-2.5-flash' });
let task = await call<Task>('GET', `/tasks/${id}`);
while (task.status === 'created' || task.status === 'started') {
  await new Promise((done) => setTimeout(done, 500));
  task = await call<Task>('GET', `/tasks/${id}`);
}
console.log(`${task.status}: ${task.output ?? 'no output'}`);
process.exitCode = task.isSuccess === true ? 0 : 1;
