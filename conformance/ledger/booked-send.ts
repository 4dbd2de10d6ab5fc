import type { Send } from '../transport/client.ts';
import { makes } from './makes.ts';
import type { Things } from './things.ts';

/**
 * Sends as the client does, but a creation that has to be refused goes through the ledger: whoever sends one only to see its refusal would
 * otherwise leave behind what a broken target makes of it.
 */
export function bookedSend(send: Send, things: Things): Send {
  return (spec) => {
    const kind = spec.method === 'POST' && spec.generation !== 'other' ? makes[spec.operation] : undefined;
    return kind === undefined || spec.invalid !== true ? send(spec) : things.probe(kind, spec);
  };
}
