/** What a client sends in the place of a name may be a value that nobody else may see. */
const NOT_SHOWN = '(not shown)';
const METHOD = /^[A-Za-z]{1,40}\.[A-Za-z]{1,60}$/;
/** Session ids are Chromium's own. */
const SESSION = /^[0-9A-F]{32}$/;

/** A method that has the form of one, else a mark. */
export function shownMethod(method: string): string {
  return METHOD.test(method) ? method : NOT_SHOWN;
}

/** A session id that has the form of one, else a mark. */
export function shownSession(session: string): string {
  return SESSION.test(session) ? session : NOT_SHOWN;
}
