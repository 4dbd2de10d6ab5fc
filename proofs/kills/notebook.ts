import type { CallService } from '../service/call-service.ts';
import { type Fact, checkFact } from './facts.ts';

/** Acknowledged facts of all clients, kept outside the service. */
export interface Notebook {
  readonly facts: readonly Fact[];
  readonly faults: ReadonlySet<string>;
  add(fact: Fact): void;
  fault(text: string): void;
  /**
   * Checks facts, several at the same time, and records the violations. For a fact without a response, records a fault
   * if `isDue` is true, and does nothing otherwise.
   */
  readBack(call: CallService, facts: readonly Fact[], isDue: boolean): Promise<void>;
}

const atOnce = 8;

/** Creates an empty notebook. */
export function createNotebook(): Notebook {
  const facts: Fact[] = [];
  const faults = new Set<string>();
  const fault = (text: string): void => {
    if (!faults.has(text)) console.error(`FAULT: ${text}`);
    faults.add(text);
  };
  return {
    facts,
    faults,
    add: (fact) => void facts.push(fact),
    fault,
    async readBack(call, wanted, isDue) {
      const rest = [...wanted];
      const work = async (): Promise<void> => {
        for (let fact = rest.pop(); fact !== undefined; fact = rest.pop()) {
          const found = await checkFact(fact, call);
          if (found === null && isDue) fault(`${fact.name} got no answer`);
          for (const text of found ?? []) fault(text);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
  };
}
