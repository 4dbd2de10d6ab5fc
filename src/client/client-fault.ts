/** A use of the client that the contract's rules for client libraries forbid; nothing was sent. The message says what to do. */
export class ClientFault extends Error {
  override readonly name = 'ClientFault';
}
