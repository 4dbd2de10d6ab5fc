import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { OperationValidators } from './validators.ts';
import type { HttpReply } from '#contract/http-messages.ts';

/** A route, as far as its answers are checked. */
interface VerifiedRoute {
  readonly id: string;
  readonly validators: OperationValidators;
}

/** Checks an answer of ours against its document; throws when we broke our own contract. */
export type Verify = (route: VerifiedRoute, reply: HttpReply) => void;

/** Checks every n-th answer; 1 checks all of them. */
export function createVerify(everyNth: number): Verify {
  let count = 0;
  return (route, reply) => {
    count += 1;
    if (count % everyNth === 0) verifyReply(route, reply);
  };
}

/** Headers that tell a client what to do next: one that no document has is not read by anybody. */
const instructions: readonly string[] = ['retry-after', 'allow'];

function verifyReply(route: VerifiedRoute, reply: HttpReply): void {
  const { responses } = route.validators;
  if (!responses.statuses.has(reply.status))
    throw new Error(`${route.id} answered ${reply.status}, which its document does not list`);
  verifyHeaders(route, reply);
  const validate: ValidateFunction | undefined = responses.of(reply.status);
  if (validate === undefined) {
    if (reply.body !== undefined)
      throw new Error(`${route.id} answered ${reply.status} with a body, its document shows none`);
    return;
  }
  if (!validate(reply.body))
    throw new Error(
      `${route.id} answered a body that its document refuses: ${JSON.stringify(validate.errors?.map(({ instancePath, message, params }) => ({ instancePath, message, params })))}`,
    );
}

function verifyHeaders(route: VerifiedRoute, { status, headers = {} }: HttpReply): void {
  const documented = route.validators.responses.headersOf(status);
  for (const [name, value] of Object.entries(headers)) {
    const validate = documented.get(name.toLowerCase());
    if (validate === undefined) {
      if (instructions.includes(name.toLowerCase()))
        throw new Error(`${route.id} answered ${status} with the header ${name}, which its document does not list`);
    } else if (!validate({ value })) {
      throw new Error(`${route.id} answered ${status} with ${name}: ${value}, which its document refuses`);
    }
  }
}
