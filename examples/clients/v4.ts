/** V4: creates a run, prints the types of its events while it runs, and then its result. */
const base = `${process.env['SERVICE_URL'] ?? 'http://127.0.0.1:4010'}/api/v4`;
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

interface Run {
  readonly id: string;
  readonly status: string;
  readonly result: unknown;
  readonly error: string | null;
}
interface Events {
  readonly events: readonly { readonly type: string }[];
  readonly nextAfter: number;
}

const ended = ['completed', 'failed', 'cancelled'];
const { id } = await call<Run>('POST', '/runs', { task: goal, model: 'gpt-5.6-luna' });
let run = await call<Run>('GET', `/runs/${id}`);
for (let after = 0; ; run = await call<Run>('GET', `/runs/${id}`)) {
  const page = await call<Events>('GET', `/runs/${id}/events?after=${after}`);
  after = page.nextAfter;
  for (const { type } of page.events) console.log(type);
  if (ended.includes(run.status)) break;
  await new Promise((done) => setTimeout(done, 500));
}
console.log(`${run.status}: ${JSON.stringify(run.result ?? run.error)}`);
process.exitCode = run.status === 'completed' ? 0 : 1;
