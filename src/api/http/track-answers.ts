import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Enter } from './enter.ts';

/** A caller that takes longer to send the rest of its request, or to read its answer, is cut off. */
const ANSWER_TIMEOUT_MS = 2_000;

/** The answers of a server that are under way. */
export interface AnswersUnderWay {
  readonly enter: Enter;
  /**
   * Waits until each of them is given, so that a server that closes cuts nobody off from what was done for him; streams that have begun
   * are not waited for. Never rejects, and ends after 2 s.
   */
  settled(): Promise<void>;
}

/** Follows the requests of a server. */
export function trackAnswers(): AnswersUnderWay {
  const open = new Set<ServerResponse>();
  function leave(this: ServerResponse): void {
    open.delete(this);
  }
  return {
    enter(response, work) {
      open.add(response);
      response.on('close', leave);
      work();
    },
    async settled() {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const waiting = Array.from(open).filter(({ headersSent }) => !headersSent);
      // A wait that is rejected is one that took too long.
      await Promise.allSettled(waiting.map((response) => once(response, 'close', { signal })));
    },
  };
}
