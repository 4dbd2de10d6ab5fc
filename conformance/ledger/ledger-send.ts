import type { Send } from '../core/request.ts';
import { createdKinds } from './created-kinds.ts';
import type { Resources } from '../core/ledger.ts';

/**
 * Sends as the client does, but a creation that has to be refused goes through the ledger: whoever sends one only to see its refusal would
 * otherwise leave behind what a broken target makes of it.
 */
export function createLedgerSend(send: Send, resources: Resources): Send {
  return (spec) => {
    const kind = spec.method === 'POST' && spec.generation !== 'other' ? createdKinds[spec.operation] : undefined;
    return kind === undefined || spec.invalid !== true ? send(spec) : resources.probe(kind, spec);
  };
}
