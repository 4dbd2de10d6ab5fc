/**
 * Faults of V2, V4 runs, browsers, credentials and refusals that were listed from the contract alone, as a tester
 * without knowledge of the suite lists them.
 */
import type { Breach } from './row.ts';

const key = 'Every request to V2, V3 and V4 carries an API key in the header X-Service-API-Key.';
const body = 'ValidationError: loc (array of string or integer), msg (string), type (string); all three required.';
const refused = '422: The request fails validation. Body: detail array of objects with loc, msg, type.';
const creation = 'V4 POST runs: create an agent run. Response: a run object with at least id, later carrying result.';
const allowed = 'The service forwards an allow-listed object. Paths and accepted values depend on the model.';
const events = 'V4 runs are observable by polling an ordered event list.';
const task = 'V2 POST tasks: create a V2 task.';
const pair = 'An unsupported V2/V3 model and level pair returns HTTP 422 before any task is dispatched.';
const launch = 'Response: an object with at least id and cdpUrl (CDP address to connect to).';
const stop = 'V4 PATCH browsers: stop a standalone browser. Effect: browser stops; billing ends.';
const only = 'A standalone browser is stopped only by the V4 stop operation.';
const shared = 'Both products include reusable browser profiles and live observation of the browser.';

/** Faults of V2, V4 runs, browsers, credentials and refusals, grouped by the sentence that they violate. */
export const unbiasedOtherFaults = [
  {
    sentence: launch,
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ub-cdp-dead-port': 'cdpUrl leads to a port that accepts no connection.',
      'ub-br-us-unproxied': 'proxyCountryCode us disables the managed proxy.',
      'ub-br-country-echo': 'A browser that is launched with de reports fr in its record.',
    },
  },
  {
    sentence: stop,
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ub-br-pause-200': 'PATCH of a browser with the action pause answers 200.',
      'ub-br-used-stop-ignored': 'A browser to which a client was connected cannot be stopped: 200, and it goes on.',
      'ub-br-second-stop-500': 'A second stop of the same browser answers 500.',
      'ub-br-list-active': 'The list of browsers says active for a stopped browser.',
      'ub-br-connect-revives': 'A stopped browser is active again when a client connects to its cdpUrl.',
      'ub-br-stop-whitespace': 'The stop is refused when its body has white space between its members.',
    },
  },
  {
    sentence: only,
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ub-br-stop-cuts-other': 'The stop of a browser cuts the connections of a second one, which stays active.',
      'ub-br-drop-country-ends': 'A client that leaves ends a browser with another country than us.',
      'ub-br-pages-lost': 'A page that a client opened is gone after a reconnect.',
    },
  },
  {
    sentence: shared,
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ub-br-live-no-frames': 'The live view of a browser forbids frames.',
      'ub-br-live-shared': 'Two browsers have the same liveUrl.',
      'ub-br-profile-echo': 'A browser that is launched with one profile reports another one.',
      'ub-profile-gone-after-stop': 'A profile is gone once the first browser that used it has stopped.',
      'ub-profile-patch-others': 'A new name of one profile changes the name of another.',
    },
  },
  {
    sentence: refused,
    source: 'contract',
    area: 'errors',
    generation: 'all',
    spend: 'none',
    faults: {
      'ub-br-patch-id-500': 'PATCH of a browser with a malformed id answers 500.',
      'ub-profile-id-500': 'GET of a profile with a malformed id answers 500.',
      'ub-v2-task-id-500': 'GET of a V2 task with a malformed id answers 500.',
      'ub-v2-session-id-400': 'GET of a V2 session with a malformed id answers 400.',
      'ub-422-html': 'Refusals with 422 have the content type text/html.',
      'ub-v4-empty-500': 'POST of a run without a body answers 500.',
      'ub-query-error-object': 'A refused query of a list gives an error object.',
    },
  },
  {
    sentence: body,
    source: 'contract',
    area: 'errors',
    generation: 'all',
    spend: 'none',
    faults: {
      'ub-params-loc-text': 'loc is a text when a value of modelParams is not supported.',
      'ub-v4-loc-missing-model': 'loc of a missing task of a run names model.',
      'ub-br-country-type-null': 'type is null when a country is refused.',
      'ub-v2-pair-detail-object': 'detail is an object when a level of V2 is not supported.',
      'ub-v2-msg-empty': 'msg is empty when a level of V2 is not supported.',
    },
  },
  {
    sentence: 'V2 and V3: Model "<model>" (provider "<provider>") does not support thinking_level="<level>".',
    source: 'contract',
    area: 'errors',
    generation: 'v2',
    spend: 'none',
    faults: {
      'ub-v2-claude-no-provider': 'The text of V2 names no provider for claude models.',
      'ub-v2-list-has-refused': 'The list of supported levels of V2 has the refused level.',
      'ub-v2-gemini25-list': 'The list of supported levels of gemini-2.5-pro has disabled.',
    },
  },
  {
    sentence: 'V4: Model "<model>" does not support modelParams.<path>=\'<value>\'. Supported values: <list>.',
    source: 'contract',
    area: 'errors',
    generation: 'v4',
    spend: 'none',
    faults: {
      'ub-msg-params-snake': 'The text of V4 says model_params.',
      'ub-msg-params-lower': 'The text of V4 shows the value in small letters.',
      'ub-msg-params-bar': 'The list of V4 has bars between its values.',
    },
  },
  {
    sentence: creation,
    source: 'contract',
    area: 'runs',
    generation: 'v4',
    spend: 'task',
    faults: {
      'ub-kimi-unknown': 'kimi-k3 is refused as a model.',
      'ub-fable-without-params': 'claude-fable-5 is refused without modelParams.',
      'ub-result-newest': 'GET of an earlier run shows the result of the newest completed run.',
      'ub-run-unknown-200': 'GET of a run that does not exist answers 200 with an empty run.',
      'ub-v4-after-refusal': 'The creation after a refused one is refused, too.',
      'ub-run-dedupe': 'A creation with the task of an earlier run answers the earlier run.',
      'ub-run-list-status': 'The list of runs says running for completed runs.',
    },
  },
  {
    sentence: events,
    source: 'contract',
    area: 'events',
    generation: 'v4',
    spend: 'task',
    faults: {
      'ub-events-alternate': 'Each second read of the events lists them newest first.',
      'ub-events-second-lost': 'The second event is missing once there are more than three.',
      'ub-events-one-foreign': 'The events of a run begin with an event of another run.',
      'ub-events-lost-second-run': 'The events of a run are lost once a later run was created.',
    },
  },
  {
    sentence: allowed,
    source: 'contract',
    area: 'modelParams',
    generation: 'v4',
    spend: 'none',
    faults: {
      'ub-own-key-unchecked': 'modelParams is not checked beside useOwnKey true.',
      'ub-params-order': 'modelParams is not checked when it stands before model in the body.',
      'ub-params-own-key-unchecked': 'modelParams is not checked for models whose own key is stored.',
    },
  },
  {
    sentence: pair,
    source: 'contract',
    area: 'levels',
    generation: 'v2',
    spend: 'none',
    faults: {
      'ub-v2-level-max': 'thinkingLevel takes max in V2.',
      'ub-v2-sonnet45-medium': 'claude-sonnet-4-5-20250929 takes medium in V2.',
      'ub-v2-pro31-medium': 'gemini-3.1-pro-preview takes medium in V2.',
      'ub-v2-order': 'thinkingLevel is not checked when it stands before llm in the body.',
    },
  },
  {
    sentence: task,
    source: 'contract',
    area: 'tasks',
    generation: 'v2',
    spend: 'task',
    faults: {
      'ub-v2-create-500': 'A correct V2 creation is answered 500.',
      'ub-v2-opus45-disabled-refused': 'claude-opus-4-5-20251101 refuses disabled.',
      'ub-v2-svc20-high': 'svc-2.0 refuses high.',
      'ub-v2-without-llm': 'A V2 task without llm is refused.',
      'ub-v2-session-gone': 'The session of a finished task is not found.',
      'ub-v2-goal-other': 'A task shows the goal of the task before.',
      'ub-v2-id-burst': 'Two tasks that are created within 50 ms have one id.',
    },
  },
  {
    sentence: key,
    source: 'contract',
    area: 'authentication',
    generation: 'all',
    spend: 'none',
    faults: {
      'ub-auth-get-any': 'Every GET is served with any key.',
      'ub-auth-last-letter': 'Every operation compares all letters of the key but the last.',
      'ub-auth-bearer-v2-create': 'POST of a V2 task takes the key as a bearer token.',
      'ub-auth-lower-only': 'The header of the key is read in small letters alone.',
      'ub-auth-empty-list': 'A list without a key is answered 200 and empty.',
      'ub-auth-empty-all': 'Every operation is served with an empty key.',
      'ub-auth-connection': 'Any key is taken on a connection that has carried the right one.',
      'ub-auth-run-create-works': 'POST of a run without a right key is answered 401 and creates one.',
    },
  },
  {
    sentence: 'All paths are relative to the base of the stated version. All bodies are JSON.',
    source: 'contract',
    area: 'addresses',
    generation: 'all',
    spend: 'none',
    faults: {
      'ub-v2-elsewhere': 'V2 is not found below /api/v2.',
      'ub-v4-browsers-elsewhere': 'Browsers are not found below /api/v4.',
      'ub-charset-refused': 'The content type application/json with a charset is refused.',
    },
  },
] as const satisfies readonly Breach[];
