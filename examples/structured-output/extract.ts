/** Creates a run whose output must conform to a JSON Schema, and prints the output. */
const base = `${process.env['SERVICE_URL']}/api/v4`;
const headers = { 'X-Service-API-Key': process.env['SERVICE_API_KEY'] ?? '', 'Content-Type': 'application/json' };
const task = process.argv[2] ?? 'Open https://example.com and read its title';

const outputSchema = {
  type: 'object',
  properties: { title: { type: 'string' }, score: { type: 'integer' } },
  required: ['title'],
};

const ask = async (path: string, init: RequestInit = {}): Promise<Run> => {
  const response = await fetch(base + path, { ...init, headers });
  // The text of a 422 names the invalid member in detail[0].loc and the reason in detail[0].msg.
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document of the interface says so
  return (await response.json()) as Run;
};

let run = await ask('/runs', {
  method: 'POST',
  body: JSON.stringify({ task, model: 'gpt-5.6-luna', outputSchema, maxCostUsd: 0.5 }),
});
while (!['completed', 'failed', 'cancelled'].includes(run.status)) {
  await new Promise((done) => setTimeout(done, 500));
  run = await ask(`/runs/${run.id}`);
}
// `output` conforms to the schema, or is null because the task was not achieved. `error` or `result` then says why.
console.log(run.output === null ? `no data: ${run.error ?? run.result}` : JSON.stringify(run.output));

interface Run {
  readonly id: string;
  readonly status: string;
  readonly output: { readonly title: string } | null;
  readonly result: string | null;
  readonly error: string | null;
}
