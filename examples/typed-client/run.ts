import { ServiceError, createClient } from 'svc-contract/client';

/**
 * Runs a V4 task with the typed client. The types of the client come from the documents, so a wrong path or member does
 * not compile.
 */
const { v4 } = createClient({ baseUrl: process.env['SERVICE_URL'] ?? 'http://127.0.0.1:4010' });
const task = process.argv[2] ?? 'Reply with the word ready';

try {
  const { id } = await v4.POST('/runs', { body: { task, model: 'gpt-5.6-luna', maxCostUsd: 0.5 } });
  const { status, result, totalCostUsd } = await v4.waitForRun(id, { intervalMs: 500, timeoutMs: 120_000 });
  console.log(`${status}: ${JSON.stringify(result)} (${totalCostUsd} USD)`);
} catch (error) {
  // The message has the status and the text of the refusal, and the error has the id of the request.
  if (!(error instanceof ServiceError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
