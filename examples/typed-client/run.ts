import { ServiceError, createClient } from 'svc-contract/client';

/** Gives V4 a task through the typed client: paths, bodies and answers are those of the documents, so a slip does not compile. */
const { v4 } = createClient({ baseUrl: process.env['SERVICE_URL'] ?? 'http://127.0.0.1:4010' });
const task = process.argv[2] ?? 'Reply with the word ready';

try {
  const { id } = await v4.POST('/runs', { body: { task, model: 'gpt-5.6-luna', maxCostUsd: 0.5 } });
  const { status, result, totalCostUsd } = await v4.waitForRun(id, { intervalMs: 500, timeoutMs: 120_000 });
  console.log(`${status}: ${JSON.stringify(result)} (${totalCostUsd} USD)`);
} catch (error) {
  // A refusal is a value: status, what it says, and the id that the operator finds it by.
  if (!(error instanceof ServiceError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
