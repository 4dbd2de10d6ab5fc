import type { JsonObject } from '#lib/json.ts';
import type { Audit, AuditedCommand, Outcome } from './audit.ts';

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

/** What a client sends in the place of a name may be a value that nobody else may see. */
const NOT_SHOWN = '(not shown)';

const METHOD = /^[A-Za-z]{1,40}\.[A-Za-z]{1,60}$/;

/** Session ids are Chromium's own. */
const SESSION = /^[0-9A-F]{32}$/;

/** A method that has the form of one, else a mark. */
function shownMethod(method: string): string {
  return METHOD.test(method) ? method : NOT_SHOWN;
}

/** A session id that has the form of one, else a mark. */
function shownSession(session: string): string {
  return SESSION.test(session) ? session : NOT_SHOWN;
}
