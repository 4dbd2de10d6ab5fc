import type { IncomingMessage } from 'node:http';

/** The client went away before it had sent its whole request; with the code that Node gives such an end when it notices it itself. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  readonly code = 'ECONNRESET';

  constructor() {
    super('the client went away before it had sent its request');
  }
}

/** Whether an error says no more than that: nothing of ours has failed, and nobody is left to read an answer. */
export function isClientGone(error: unknown, request: IncomingMessage): boolean {
  const isReset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isReset && request.destroyed && !request.complete;
}
