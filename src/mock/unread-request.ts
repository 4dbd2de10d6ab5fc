import type { WireRequest } from '#http/wire.ts';
import type { tooLarge } from './read-body.ts';

/** A request whose body nobody has read yet: who has no key is told so before a byte of the body is taken. */
export interface UnreadRequest {
  /** Name of this request in an internal error. */
  readonly id: string;
  readonly head: WireRequest;
  /** Largest body that is read, in bytes. */
  readonly bodyLimit: number;
  readBody(): Promise<Uint8Array | typeof tooLarge>;
}
