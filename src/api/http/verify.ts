import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { OperationValidators } from './validators.ts';
import type { HttpReply } from '#contract/http-messages.ts';

/** A route with the validators of its responses. */
interface VerifiedRoute {
  readonly id: string;
  readonly validators: OperationValidators;
}

/** Validates a response against its document. Throws for a violation, which is a bug of the service. */
export type Verify = (route: VerifiedRoute, reply: HttpReply) => void;

/** Creates a function that validates every n-th response; 1 validates all. */
export function createVerify(everyNth: number): Verify {
  let count = 0;
  return (route, reply) => {
    count += 1;
    if (count % everyNth === 0) verifyReply(route, reply);
  };
}

/** Headers that tell a client what to do next. A response must not have such a header unless its document lists it. */
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
  const documented = route.validators.responses.headers(status);
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
