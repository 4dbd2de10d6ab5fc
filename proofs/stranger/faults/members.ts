/** Faults of request members: values of a wrong form and missing values that are accepted. */
import type { Breach } from './row.ts';

const v3 =
  'V3 POST sessions: the table of request fields and their types; a request that fails validation is answered 422.';
const v2 =
  'V2 POST tasks: the table of request fields and their types; a request that fails validation is answered 422.';
const v4 =
  'V4 POST runs: the table of request fields and their types; a request that fails validation is answered 422.';
const browser =
  'V4 POST browsers: proxyCountryCode: ProxyCountryCode or null; a request that fails validation is answered 422.';

/** Faults of request members, grouped by the sentence of the contract or companion that they violate. */
export const memberFaults = [
  {
    sentence: 'Path parameter session_id: string, format uuid, required; 422 for an invalid session_id format.',
    source: 'contract',
    area: 'members',
    generation: 'v3',
    spend: 'none',
    faults: {
      'len-v3-id-any': 'GET of a V3 session answers 404 for an id of any form.',
      'len-v3-id-prefix': 'GET of a V3 session answers 404 for an id that begins with 0 and is no uuid.',
      'len-v3-id-long': 'GET of a V3 session answers 404 for an id that is longer than a uuid.',
      'len-v3-id-no-dashes': 'GET of a V3 session answers 404 for an id of 32 hexadecimal digits.',
    },
  },
  {
    sentence: v3,
    source: 'contract',
    area: 'members',
    generation: 'v3',
    spend: 'none',
    faults: {
      'len-v3-model-any': 'model takes any value.',
      'len-v3-model-null': 'model takes null.',
      'len-v3-model-case': 'model takes names in capital letters.',
      'len-v3-model-empty': 'model takes the empty string.',
      'len-v3-model-prefix': 'model takes any name that begins with gpt.',
      'len-v3-level-any': 'thinkingLevel takes any value.',
      'len-v3-level-case': 'thinkingLevel takes words in capital letters.',
      'len-v3-level-xhigh': 'thinkingLevel takes xhigh.',
      'len-v3-level-minimal': 'thinkingLevel takes minimal.',
      'len-v3-level-number': 'thinkingLevel takes numbers.',
      'len-v3-level-list': 'thinkingLevel takes arrays.',
      'len-v3-level-empty': 'thinkingLevel takes the empty string.',
      'len-v3-country-any': 'proxyCountryCode takes any value.',
      'len-v3-country-upper': 'proxyCountryCode takes capital letters.',
      'len-v3-country-ci': 'proxyCountryCode takes ci.',
      'len-v3-country-gb': 'proxyCountryCode takes gb.',
      'len-v3-country-long': 'proxyCountryCode takes words of more than two letters.',
      'len-v3-schema-text': 'outputSchema takes strings.',
      'len-v3-schema-list': 'outputSchema takes arrays.',
      'len-v3-keepalive-text': 'keepAlive takes strings.',
      'len-v3-keepalive-number': 'keepAlive takes numbers.',
      'len-v3-code-text': 'codeMode takes strings.',
      'len-v3-recording-text': 'enableRecording takes strings.',
      'len-v3-ownkey-text': 'useOwnKey takes strings.',
      'len-v3-task-number': 'task takes numbers.',
      'len-v3-task-object': 'task takes objects.',
      'len-v3-ceiling-text': 'maxCostUsd takes any string.',
      'len-v3-ceiling-object': 'maxCostUsd takes objects.',
    },
  },
  {
    sentence: 'sessionId: string (uuid) or null; present without task: 422.',
    source: 'companion',
    area: 'members',
    generation: 'v3',
    spend: 'none',
    faults: {
      'len-v3-profile-any': 'profileId takes any value.',
      'len-v3-session-id-any': 'sessionId takes any value.',
      'len-v3-followup-without-task': 'A follow-up without a task is not refused with 422.',
      'len-v3-width-any': 'browserScreenWidth takes any value.',
      'len-v3-page-any': 'page and page_size of the list take any value.',
    },
  },
  {
    sentence: v2,
    source: 'contract',
    area: 'members',
    generation: 'v2',
    spend: 'none',
    faults: {
      'len-v2-model-any': 'llm takes any value.',
      'len-v2-model-v3-name': 'llm takes the V3 name claude-opus-4.7.',
      'len-v2-level-any': 'thinkingLevel takes any value in V2.',
      'len-v2-level-case': 'thinkingLevel takes words in capital letters in V2.',
      'len-v2-level-number': 'thinkingLevel takes numbers in V2.',
      'len-v2-level-true': 'thinkingLevel takes booleans in V2.',
      'len-v2-thinking-text': 'thinking takes strings.',
      'len-v2-thinking-level-word': 'thinking takes the word high.',
      'len-v2-thinking-number': 'thinking takes numbers.',
      'len-v2-task-number': 'task takes numbers in V2.',
    },
  },
  {
    sentence: 'V2 task: required, min length 1, max length 50000; maxSteps: min 1, max 10000.',
    source: 'companion',
    area: 'members',
    generation: 'v2',
    spend: 'none',
    faults: {
      'len-v2-task-missing': 'A V2 task without a goal is accepted.',
      'len-v2-task-empty': 'A V2 task with an empty goal is accepted.',
      'len-v2-steps-any': 'maxSteps takes any value.',
    },
  },
  {
    sentence: v4,
    source: 'contract',
    area: 'members',
    generation: 'v4',
    spend: 'none',
    faults: {
      'len-v4-task-missing': 'A run without a task is accepted although task is required.',
      'len-v4-task-null': 'task takes null.',
      'len-v4-task-number': 'task takes numbers in V4.',
      'len-v4-task-list': 'task takes arrays in V4.',
      'len-v4-model-number': 'model takes numbers in V4.',
    },
  },
  {
    sentence: 'V4 POST runs: unknown members forbidden; task: min length 1; model: V4 model enum; maxCostUsd > 0.',
    source: 'companion',
    area: 'members',
    generation: 'v4',
    spend: 'none',
    faults: {
      'len-v4-task-empty': 'A run with an empty task is accepted.',
      'len-v4-model-any': 'model takes any value in V4.',
      'len-v4-unknown-member': 'Unknown members of a run are accepted.',
      'len-v4-level-accepted': 'A run takes thinkingLevel.',
      'len-v4-ceiling-zero': 'maxCostUsd takes 0.',
    },
  },
  {
    sentence: browser,
    source: 'contract',
    area: 'members',
    generation: 'v4',
    spend: 'none',
    faults: {
      'len-br-country-any': 'proxyCountryCode of a browser takes any value.',
      'len-br-country-upper': 'proxyCountryCode of a browser takes capital letters.',
      'len-br-country-ci': 'proxyCountryCode of a browser takes ci.',
      'len-br-country-number': 'proxyCountryCode of a browser takes numbers.',
      'len-br-country-empty': 'proxyCountryCode of a browser takes the empty string.',
    },
  },
  {
    sentence: 'timeout: min 1, max 240. Path identifiers: uuid everywhere.',
    source: 'companion',
    area: 'members',
    generation: 'v4',
    spend: 'none',
    faults: {
      'len-br-timeout-zero': 'timeout of a browser takes 0.',
      'len-v4-browser-id-any': 'PATCH of a browser answers 404 for an id of any form.',
    },
  },
  {
    sentence: 'V4 PATCH browsers: request body: object with action, whose value is stop.',
    source: 'contract',
    area: 'members',
    generation: 'v4',
    spend: 'browser',
    faults: {
      'len-br-action-any': 'PATCH of a browser takes any action, and stops it.',
      'len-br-action-case': 'PATCH of a browser takes STOP.',
      'len-br-action-list': 'PATCH of a browser takes an array with stop.',
      'len-br-action-missing': 'PATCH of a browser without an action stops it.',
    },
  },
] as const satisfies readonly Breach[];
