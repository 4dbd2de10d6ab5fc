import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { BoundRoute } from './handle.ts';
import type { WireReply } from './wire.ts';

/** Checks an answer of ours against its document; throws when we broke our own contract. */
export type Verify = (route: Pick<BoundRoute<object>, 'id' | 'validators'>, reply: WireReply) => void;

/** Checks every n-th answer; 1 checks all of them. */
export function createVerify(everyNth: number): Verify {
  let count = 0;
  return (route, reply) => {
    count += 1;
    if (count % everyNth === 0) verifyReply(route, reply);
  };
}

function verifyReply(route: Pick<BoundRoute<object>, 'id' | 'validators'>, reply: WireReply): void {
  const { responses } = route.validators;
  if (!responses.statuses.has(reply.status))
    throw new Error(`${route.id} answered ${reply.status}, which its document does not list`);
  const validate: ValidateFunction | undefined = responses.of(reply.status);
  if (validate === undefined) {
    if (reply.body !== undefined)
      throw new Error(`${route.id} answered ${reply.status} with a body, its document shows none`);
    return;
  }
  if (!validate(reply.body))
    throw new Error(
      `${route.id} answered a body that its document refuses: ${JSON.stringify(validate.errors?.map(({ instancePath, message }) => ({ instancePath, message })))}`,
    );
}
