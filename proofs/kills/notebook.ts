import type { CallService } from '../service/call-service.ts';
import { type Fact, checked } from './facts.ts';

/** What clients were told, kept outside the service. */
export interface Notebook {
  readonly facts: readonly Fact[];
  readonly faults: ReadonlySet<string>;
  add(fact: Fact): void;
  fault(text: string): void;
  /** Reads facts back, some at once; a fact that gets no answer is left for the next time, unless an answer is due. */
  readBack(call: CallService, facts: readonly Fact[], isDue: boolean): Promise<void>;
}

const atOnce = 8;

/** An empty notebook. */
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
          const found = await checked(fact, call);
          if (found === null && isDue) fault(`${fact.name} got no answer`);
          for (const text of found ?? []) fault(text);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
  };
}
