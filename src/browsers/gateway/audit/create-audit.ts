import type { JsonObject } from '#lib/json.ts';
import type { Audit, AuditedCommand, Outcome } from './audit.ts';
import { shownMethod, shownSession } from './shown-names.ts';

/** What an audit is made of. */
export interface AuditParts {
  /** Takes one line. */
  readonly write: (line: JsonObject) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Makes a name for a client. */
  readonly newId: () => string;
}

/** Notes every message of every client, one line each, and who came and left. */
export function createAudit({ write, now, newId }: AuditParts): Audit {
  return {
    joined({ browser, from }) {
      const client = newId();
      const counts: Record<Outcome, number> = { passed: 0, rewritten: 0, refused: 0, answered: 0, malformed: 0 };
      const note = (event: string, rest: JsonObject): void =>
        write({ at: new Date(now()).toISOString(), event, browser, client, ...rest });
      note('joined', { from });
      return {
        message(outcome, command) {
          counts[outcome] += 1;
          note('message', { ...(command === undefined ? {} : shown(command)), outcome });
        },
        left: (code) => note('left', { code, ...counts }),
      };
    },
  };
}

function shown({ method, sessionId }: AuditedCommand): JsonObject {
  return { method: shownMethod(method), ...(sessionId === undefined ? {} : { session: shownSession(sessionId) }) };
}
