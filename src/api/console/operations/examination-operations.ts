import { type ConsoleExaminationOrder, examinationProfiles, examinationSpends } from '#contract/console-messages.ts';
import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { problem } from '#contract/problems.ts';
import type { ConsoleOperation } from '../console-operation.ts';

/**
 * Returns the progress and result of the project's last run of the suite; null if the service keeps no run of the
 * project.
 */
export const getExamination: ConsoleOperation = {
  guard: 'login',
  async answer({ login }, { examinations }) {
    if (examinations === null) return problem('examination_unavailable', {});
    return { status: 200, body: examinations.last(login.projectId) };
  },
};

/**
 * Starts the suite against this service. The project of the login owns the resources that the run creates, and pays for
 * them.
 */
export const startExamination: ConsoleOperation = {
  guard: 'login',
  async answer({ login, body }, { examinations }) {
    if (examinations === null) return problem('examination_unavailable', {});
    const order = readOrder(body);
    // A run has a key of its own, whose spend does not count for the key of the login.
    if (login.monthlyMicros !== null && order.spend !== 'none') return problem('limited_key_creates_key', {});
    const started = await examinations.start(login.projectId, order);
    return started === null ? problem('examination_running', {}) : { status: 200, body: started };
  },
};

/** Stops the project's run of the suite early. */
export const stopExamination: ConsoleOperation = {
  guard: 'login',
  async answer({ login }, { examinations }) {
    examinations?.stop(login.projectId);
    return { status: 204, body: undefined };
  },
};

/**
 * Returns the report of a run as a page for an iframe. The request of an iframe has no CSRF header, so the random
 * ticket in the path grants access. The page has an opaque origin, so that its scripts cannot access the console. Its
 * content security policy allows only inline scripts and styles.
 */
export const getReport: ConsoleOperation = {
  guard: 'open',
  async answer({ path }, { examinations }) {
    const html = examinations?.report(path['ticket'] ?? '') ?? null;
    if (html === null) return problem('examination_missing', {});
    return {
      status: 200,
      body: html,
      text: html,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      },
    };
  },
};

/** Reads the options of a run from a validated body. The defaults are the spend `none` and the profile `documented`. */
function readOrder(body: JsonValue | undefined): ConsoleExaminationOrder {
  const given = isJsonObject(body) ? body : {};
  return {
    spend: examinationSpends.find((spend) => spend === given['spend']) ?? 'none',
    profile: examinationProfiles.find((profile) => profile === given['profile']) ?? 'documented',
  };
}
