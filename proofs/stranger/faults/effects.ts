/**
 * Faults of V2, V4, browsers and authentication: in side effects, in later requests, in comparisons of two requests,
 * and in the validation of members.
 */
import type { Breach } from './row.ts';

const v2 =
  'V2 POST tasks: the table of request fields and their types; a request that fails validation is answered 422.';
const v2Levels = 'V2 thinkingLevel: the table of models and levels; the field is optional and nullable.';
const before = 'Rule: an unsupported V2/V3 model and level pair returns HTTP 422 before any task is dispatched.';
const poll = 'A hosted agent works on the web to complete it, and the client retrieves the output by polling.';
const result = 'Response: a run object with at least id, later carrying result.';
const params =
  'The service forwards an allow-listed object to the chosen model provider. Paths and accepted values depend on the model.';
const key = 'Every request to V2, V3 and V4 carries an API key in the header X-Service-API-Key.';
const only =
  'A standalone browser is stopped only by the V4 stop operation (PATCH on the browser resource with action stop).';

/**
 * Faults of V2, V4, browsers and authentication, grouped by the sentence of the contract or companion that they
 * violate.
 */
export const effectFaults = [
  {
    sentence: v2,
    source: 'contract',
    area: 'members',
    generation: 'v2',
    spend: 'none',
    faults: {
      'ef-v2-level-list': 'thinkingLevel takes an array of one level in V2.',
      'ef-v2-level-padded': 'thinkingLevel takes levels with spaces around them in V2.',
      'ef-v2-level-empty': 'thinkingLevel takes the empty string in V2.',
      'ef-v2-model-case': 'llm takes names in capital letters.',
      'ef-v2-model-prefix': 'llm takes names that begin with a listed one.',
      'ef-v2-model-padded': 'llm takes names with spaces around them.',
      'ef-v2-task-list': 'task takes arrays in V2.',
      'ef-v2-ninth-unchecked': 'Every ninth V2 creation is not checked for its level.',
      'ef-v2-second-try-accepted': 'A V2 creation that was refused is accepted when it is sent again.',
    },
  },
  {
    sentence: v2Levels,
    source: 'contract',
    area: 'levels',
    generation: 'v2',
    spend: 'task',
    faults: {
      'ef-v2-level-stays': 'A V2 task without a level is judged with the level of the task before in its session.',
      'ef-v2-model-of-first': 'The level of a V2 task is judged for the model of the first task in its session.',
      'ef-v2-after-accept': 'The V2 creation after an accepted level is not checked for its level.',
      'ef-v2-thinking-chooses': 'thinking true without a level is refused for models that support no level.',
      'ef-v2-null-is-disabled': 'thinkingLevel null is refused for models that do not support disabled.',
    },
  },
  {
    sentence:
      'Model "<model>" (provider "<provider>") does not support thinking_level="<level>". Supported values: <comma-separated list>',
    source: 'contract',
    area: 'errors',
    generation: 'v2',
    spend: 'none',
    faults: {
      'ef-v2-msg-date-cut': 'The text for a dated claude model names it without its date.',
      'ef-v2-msg-lists-medium': 'The text for the gemini-3 previews lists medium as supported.',
      'ef-v2-msg-no-provider-o': 'The text for o3 and o4-mini has an empty provider.',
      'ef-v2-msg-earlier-level': 'The text of a V2 refusal names the level of the refusal before.',
      'ef-v2-msg-type-missing': 'Elements of detail have no type when a V2 level is not supported.',
    },
  },
  {
    sentence: before,
    source: 'contract',
    area: 'levels',
    generation: 'v2',
    spend: 'task',
    faults: {
      'ef-v2-refusal-stops-session': 'A refused V2 task stops the session that it names.',
      'ef-v2-refusal-stops-task': 'A refused V2 creation stops the latest open task.',
    },
  },
  {
    sentence: before,
    source: 'contract',
    area: 'levels',
    generation: 'v2',
    spend: 'none',
    faults: { 'ef-v2-refusal-late-task': 'A refused V2 creation dispatches its task 300 ms later.' },
  },
  {
    sentence: poll,
    source: 'contract',
    area: 'tasks',
    generation: 'v2',
    spend: 'task',
    faults: {
      'ef-v2-output-latest': 'output of a finished task is that of the task that finished last.',
      'ef-v2-output-vanishes': 'output is null from the third look at a finished task on.',
      'ef-v2-back-to-started': 'A finished task says started at every third look.',
      'ef-v2-stopped-finishes': 'A stopped task becomes finished 200 ms later.',
    },
  },
  {
    sentence: result,
    source: 'contract',
    area: 'runs',
    generation: 'v4',
    spend: 'task',
    faults: {
      'ef-v4-result-grows': 'result grows with each look at a completed run.',
      'ef-v4-result-first-of-session': 'A later run of a session has the result of the first one.',
      'ef-v4-result-latest-of-session': 'An earlier run of a session has the result of the latest one.',
      'ef-v4-result-null-in-follow-up': 'result stays null in a later run of a session.',
      'ef-v4-alive-again': 'A completed run says running at every third look.',
      'ef-v4-record-late': 'The record of a run says running for 400 ms after its status said completed.',
      'ef-v4-results-swapped': 'Runs that were active at the same time show the result of each other.',
      'ef-v4-follow-up-never-ends': 'A later run of a session stays running.',
      'ef-v4-id-burst': 'Two runs that are created within 50 ms have one id.',
      'ef-v4-fable-refused': 'claude-fable-5 is refused as a model.',
      'ef-v4-refused-follow-up-blocks': 'A session takes no run after a refused one.',
    },
  },
  {
    sentence: 'V4 runs are observable by polling an ordered event list.',
    source: 'contract',
    area: 'events',
    generation: 'v4',
    spend: 'task',
    faults: {
      'ef-events-small-pages-reversed': 'Pages of at most ten events are listed newest first.',
      'ef-events-lost-between': 'The last event of a page is missing when more pages follow.',
      'ef-events-renumbered-at-end': 'The ids of events are others once the run has ended.',
      'ef-events-mixed-in-session': 'The events of a later run of a session hold those of the first one.',
      'ef-events-rewritten': 'The first event has another type once the run has ended.',
      'ef-events-inserted': 'An event stands before all others once the run has ended.',
      'ef-events-twice-while-running': 'The last event is listed twice while a run goes on.',
      'ef-events-thinned': 'Only the first and the last event are listed once the run has ended.',
    },
  },
  {
    sentence: params,
    source: 'contract',
    area: 'model-params',
    generation: 'v4',
    spend: 'none',
    faults: {
      'ef-mp-second-path-unjudged': 'A listed path is not checked when another one has an accepted value.',
      'ef-mp-scalar-parent': 'The parent of a listed path takes strings.',
      'ef-mp-list-value': 'A listed path takes arrays.',
      'ef-mp-boolean-value': 'A listed path takes booleans.',
      'ef-mp-padded-value': 'A listed path takes values with spaces around them.',
      'ef-mp-snake-gemini': 'The gemini models take thinking_config.thinking_level.',
      'ef-mp-camel-claude': 'The claude models take outputConfig.effort.',
      'ef-mp-sibling-value': 'thinking.display takes the values of thinking.type.',
      'ef-mp-refused-then-passes': 'A V4 creation that was refused is accepted when it is sent again.',
    },
  },
  {
    sentence: params,
    source: 'contract',
    area: 'model-params',
    generation: 'v4',
    spend: 'task',
    faults: {
      'ef-mp-three-refused': 'The three paths of the claude models are refused together.',
      'ef-mp-disabled-with-effort': 'thinking.type disabled is refused beside output_config.effort.',
      'ef-mp-inherits': 'A later run without modelParams is judged with those of the first run of its session.',
      'ef-mp-empty-in-follow-up': 'An empty modelParams is refused in a later run of a session.',
    },
  },
  {
    sentence:
      'Model "<model>" does not support modelParams.<path>=\'<value>\'. Supported values: <comma-separated list in alphabetical order>',
    source: 'contract',
    area: 'errors',
    generation: 'v4',
    spend: 'none',
    faults: {
      'ef-mp-msg-other-path-list': 'The text for thinking.display lists the values of output_config.effort.',
      'ef-mp-msg-earlier-model': 'The text of a V4 refusal names the model of the refusal before.',
      'ef-mp-msg-long-unsorted': 'A list of six values is in the order of their strength.',
      'ef-mp-loc-null': 'loc holds null when a value of modelParams is not supported.',
      'ef-mp-type-missing': 'Elements of detail have no type when a value of modelParams is not supported.',
    },
  },
  {
    sentence:
      'V4 POST runs: the table of request fields and their types; a request that fails validation is answered 422.',
    source: 'contract',
    area: 'members',
    generation: 'v4',
    spend: 'none',
    faults: {
      'ef-v4-task-boolean': 'task takes booleans in V4.',
      'ef-v4-task-object': 'task takes objects in V4.',
      'ef-v4-model-list': 'model takes arrays in V4.',
      'ef-v4-refusal-late-run': 'A refused V4 creation starts its run 300 ms later.',
    },
  },
  {
    sentence: 'task: the goal; required.',
    source: 'contract',
    area: 'members',
    generation: 'v4',
    spend: 'task',
    faults: { 'ef-v4-follow-up-without-task': 'A later run of a session is accepted without a task.' },
  },
  {
    sentence: key,
    source: 'contract',
    area: 'authentication',
    generation: 'all',
    spend: 'none',
    faults: {
      'ef-auth-in-body': 'Every operation takes the key in the body.',
      'ef-auth-listed': 'Every operation takes a list of keys in the header when one of them is right.',
      'ef-auth-without-prefix': 'Every operation takes the secret part of the key without its prefix.',
      'ef-auth-wrong-key-locks': 'The request after one with a wrong key is answered 401.',
    },
  },
  {
    sentence: key,
    source: 'contract',
    area: 'authentication',
    generation: 'all',
    spend: 'task',
    faults: {
      'ef-auth-finished-run-open': 'A completed run is shown without a key.',
      'ef-auth-finished-task-open': 'A finished V2 task is shown without a key.',
      'ef-auth-later-events-open': 'Events after the first page are shown without a key.',
    },
  },
  {
    sentence: 'Keys are created by the account holder; projects are isolated from each other.',
    source: 'companion',
    area: 'authentication',
    generation: 'all',
    spend: 'task',
    faults: {
      'ef-foreign-browser-stop': 'The key of another project stops a browser.',
      'ef-foreign-cancel': 'The key of another project cancels a run.',
      'ef-foreign-events': 'The key of another project reads the events of a run.',
      'ef-foreign-task-stop': 'The key of another project stops a V2 task.',
    },
  },
  {
    sentence: 'proxyCountryCode: ProxyCountryCode or null; a request that fails validation is answered 422.',
    source: 'contract',
    area: 'members',
    generation: 'v4',
    spend: 'none',
    faults: {
      'ef-br-country-list': 'proxyCountryCode of a browser takes an array of one code.',
      'ef-br-country-padded': 'proxyCountryCode of a browser takes codes with spaces around them.',
      'ef-br-country-gb': 'proxyCountryCode of a browser takes gb.',
      'ef-br-country-false': 'proxyCountryCode of a browser takes false.',
    },
  },
  {
    sentence: 'V4 PATCH browsers: request body: object with action, whose value is stop.',
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ef-br-action-null': 'PATCH of a browser takes null as action.',
      'ef-br-action-padded': 'PATCH of a browser takes stop with spaces around it.',
      'ef-br-refused-stop-acts': 'PATCH with another action is answered 422 and stops the browser.',
      'ef-br-stop-newest': 'PATCH stops the newest active browser in place of the named one.',
      'ef-br-null-proxy-stop-ignored': 'The stop of a browser without a proxy answers 200 and does nothing.',
      'ef-br-stop-while-connected-ignored': 'The stop answers 200 and does nothing while a client is connected.',
      'ef-br-second-stop-restarts': 'A second stop makes the browser active again.',
      'ef-br-refund-undone': 'browserCost is the full price again from the second look at a stopped browser on.',
      'ef-br-refund-first-only': 'Only the first stop of a project refunds unused time.',
      'ef-br-stop-keeps-connections': 'A stop leaves the connections to the browser open.',
      'ef-br-stopped-still-connects': 'cdpUrl of a stopped browser takes connections.',
      'ef-br-old-address-leads-on': 'cdpUrl of a stopped browser leads to another active browser.',
    },
  },
  {
    sentence: only,
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ef-br-delete-stops': 'DELETE of a browser stops it.',
      'ef-br-cdp-once': 'cdpUrl takes one connection in the life of a browser.',
      'ef-br-client-left-ends': 'A browser stops when its client closes the connection.',
      'ef-br-client-left-ends-late': 'A browser stops 1.5 s after its client has closed the connection.',
      'ef-br-abrupt-ends': 'A browser stops when its client disappears without closing the connection.',
      'ef-br-close-command-ends': 'The command Browser.close stops a browser.',
      'ef-br-tab-close-ends': 'A browser stops when a client closes its tab.',
    },
  },
  {
    sentence: only,
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'task',
    faults: {
      'ef-br-run-end-ends': 'The end of a V4 run stops the standalone browsers of the project.',
      'ef-br-task-stop-ends': 'The stop of a V2 task stops the standalone browsers of the project.',
    },
  },
  {
    sentence: 'V4 POST browsers: launch a standalone cloud browser. Response: an object with at least id and cdpUrl.',
    source: 'contract',
    area: 'browsers',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'ef-br-same-body-same': 'Two creations with the same body within a second answer the same browser.',
      'ef-br-country-kp-refused': 'A browser in kp is refused.',
    },
  },
] as const satisfies readonly Breach[];
