import { testTasks } from '#generated/rules.ts';
import { isJsonObject } from '#lib/json.ts';
import type { OperationValidators } from '#api/http/validators.ts';
import type { WireReply } from '#contract/wire.ts';

/** Adds Retry-After, in seconds, where the document of the answer lists it: the number of the body, else that of the test tasks. */
export function withRetryAfter(
  reply: WireReply,
  { validators }: { readonly validators: Pick<OperationValidators, 'responses'> },
): WireReply {
  if (!validators.responses.headersOf(reply.status).has('retry-after')) return reply;
  const told = isJsonObject(reply.body) ? reply.body['retry_after_seconds'] : undefined;
  const seconds = typeof told === 'number' ? told : testTasks.numbers.retryAfterSeconds;
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(seconds) } };
}
