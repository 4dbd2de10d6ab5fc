import type { JsonObject } from '#lib/json.ts';
import { notFramable } from '../live-page-tampers.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { at, told } from '../operation-tampers.ts';
import { fetched, member, omit, records, without } from '../tampers.ts';

const record = ['V3-GET-01'] as const;
const decimals = ['LIFE-15', 'V3-SESSION-45', 'V3-SESSION-46', 'V3-SESSION-40', ...record] as const;

/** Changes screenshotUrl in selected records to a path that does not exist. */
function brokenScreenshot(when: (session: JsonObject) => boolean): Tamper {
  return fetched((session) => {
    const { screenshotUrl: url } = session;
    if (typeof url !== 'string' || !when(session)) return session;
    return { ...session, screenshotUrl: new URL(`/nowhere${new URL(url).search}`, url).href };
  });
}

/** Shows the first screenshot URL of a session in all later records of the session. */
function sameScreenshot(): Tamper {
  const first = new Map<unknown, unknown>();
  return records((session) => {
    if (session['screenshotUrl'] === null) return session;
    if (!first.has(session['id'])) first.set(session['id'], session['screenshotUrl']);
    return { ...session, screenshotUrl: String(first.get(session['id'])) };
  });
}

/**
 * Shows a step count that is too high by 100 while a task runs. The shown count therefore falls at the end of the task.
 */
const falls: Tamper = fetched((session) =>
  session['status'] === 'running' ? { ...session, stepCount: Number(session['stepCount']) + 100 } : session,
);

/** Changes the record in the answers to stops of V3 sessions. */
function answersStop(change: (session: JsonObject) => JsonObject): Tamper {
  return told(at('POST', '/api/v3/sessions/*/stop'), change);
}

/** Servers whose session record is wrong in one member, or whose live page is wrong. */
export const recordMutants: readonly Mutant[] = [
  {
    id: 'id-number',
    breaks: 'id is not a UUID.',
    server: 'reference',
    target: 'V3-SESSION-01',
    mayAlso: [...record, 'LIFE-01', 'SVC-01', 'LIFE-20'],
    tamper: fetched((session) => ({ ...session, id: 'session-1' })),
  },
  {
    id: 'no-status',
    breaks: 'The record of a running session has no status.',
    server: 'reference',
    target: 'V3-SESSION-02',
    mayAlso: [
      'V3-SESSION-06',
      'V3-ENUM-01',
      'V3-GET-01',
      'V3-GET-04',
      'LIFE-20',
      'SVC-01',
      'V3-CREATE-01',
      'V3-STOP-01',
      'V3-STOP-02',
      'LIFE-17',
      'LIFE-01',
      'LIFE-05',
    ],
    tamper: fetched((session) => (session['status'] === 'running' ? omit(session, 'status') : session)),
  },
  {
    id: 'times-with-blank',
    breaks: 'updatedAt has a blank between its date and its time.',
    server: 'reference',
    target: 'V3-SESSION-05',
    tamper: member('updatedAt', (session) => String(session['updatedAt']).replace('T', ' ')),
  },
  {
    id: 'model-unknown',
    breaks: 'model is a name outside BuModel.',
    server: 'reference',
    target: 'V3-SESSION-03',
    mayAlso: [...record, 'V3-ALIASES'],
    tamper: member('model', () => 'gpt-3'),
  },
  {
    id: 'created-at-number',
    breaks: 'createdAt is a number.',
    server: 'reference',
    target: 'V3-SESSION-04',
    mayAlso: record,
    tamper: member('createdAt', () => 1_700_000_000),
  },
  {
    id: 'updated-at-text',
    breaks: 'updatedAt is not a date-time.',
    server: 'reference',
    target: 'V3-SESSION-05',
    mayAlso: record,
    tamper: member('updatedAt', () => 'yesterday'),
  },
  {
    id: 'no-updated-at',
    breaks: 'The record has no updatedAt.',
    server: 'reference',
    target: 'V3-SESSION-06',
    mayAlso: [...record, 'V3-SESSION-05'],
    tamper: without('updatedAt'),
  },
  {
    id: 'level-word',
    breaks: 'thinkingLevel is a string outside the enumeration.',
    server: 'reference',
    target: 'V3-SESSION-07',
    mayAlso: [
      ...record,
      'V3-ENUM-02',
      'V3-THINK-23',
      'V3-THINK-24',
      'V3-THINK-26',
      'V3-THINK-27',
      'V3-THINK-28',
      'VER-09',
      'VER-10',
      'V3-CREATE-05',
      'V3-THINK-ACCEPTS',
    ],
    tamper: member('thinkingLevel', () => 'maximum'),
  },
  {
    id: 'title-object',
    breaks: 'title is an object.',
    server: 'reference',
    target: 'V3-SESSION-08',
    mayAlso: [...record, 'LIFE-12', 'V3-SESSION-09'],
    tamper: member('title', () => ({ text: 'x' })),
  },
  {
    id: 'output-number',
    breaks: 'output of a plain task is a number.',
    server: 'reference',
    target: 'V3-SESSION-14',
    mayAlso: ['V3-SESSION-11', 'V3-SESSION-12', 'V3-SESSION-13', 'V3-CREATE-09', 'V3-CREATE-10'],
    tamper: member('output', (session) => (session['output'] === null ? null : 7)),
  },
  {
    id: 'schema-forgotten',
    breaks: 'outputSchema is not shown.',
    server: 'reference',
    target: 'V3-SESSION-15',
    mayAlso: ['V3-CREATE-10'],
    tamper: member('outputSchema', () => null),
  },
  {
    id: 'step-count-text',
    breaks: 'stepCount is a string.',
    server: 'reference',
    target: 'V3-SESSION-16',
    mayAlso: [...record, 'LIFE-13', 'V3-SESSION-17'],
    tamper: member('stepCount', (session) => String(session['stepCount'])),
  },
  {
    id: 'step-count-falls',
    breaks: 'stepCount decreases.',
    server: 'reference',
    target: 'V3-SESSION-17',
    mayAlso: ['LIFE-13', 'V3-SESSION-16'],
    tamper: falls,
  },
  {
    id: 'stop-answers-stopping',
    breaks: 'The record in the answer to a stop has a status that is not listed.',
    server: 'reference',
    only: ['V3-ENUM-01', 'V3-STOP-02'],

    target: 'V3-ENUM-01',
    tamper: answersStop((session) => ({ ...session, status: 'stopping' })),
  },
  {
    id: 'stop-answers-seconds',
    breaks: 'The record in the answer to a stop shows updatedAt as a number.',
    server: 'reference',
    only: ['V3-SESSION-05', 'V3-STOP-02'],
    target: 'V3-SESSION-05',
    tamper: answersStop((session) => ({ ...session, updatedAt: Date.parse(String(session['updatedAt'])) / 1000 })),
  },
  {
    id: 'stop-answers-id-without-dashes',
    breaks: 'The record in the answer to a stop shows the id without its dashes.',
    server: 'reference',
    only: ['V3-SESSION-01', 'V3-STOP-02'],
    target: 'V3-SESSION-01',
    tamper: answersStop((session) => ({ ...session, id: String(session['id']).replaceAll('-', '') })),
  },
  {
    id: 'summary-number',
    breaks: 'lastStepSummary is a number.',
    server: 'reference',
    target: 'V3-SESSION-18',
    mayAlso: [...record, 'LIFE-13'],
    tamper: member('lastStepSummary', (session) => (session['lastStepSummary'] === null ? null : 1)),
  },
  {
    id: 'always-failed',
    breaks: 'isTaskSuccessful is false for a successful task.',
    server: 'reference',
    target: 'V3-SESSION-19',
    mayAlso: ['LIFE-15', 'SVC-01'],
    tamper: member('isTaskSuccessful', (session) =>
      session['isTaskSuccessful'] === true ? false : (session['isTaskSuccessful'] ?? null),
    ),
  },
  {
    id: 'always-achieved',
    breaks: 'isTaskSuccessful is true for a failed task.',
    server: 'reference',
    target: 'V3-SESSION-20',
    mayAlso: ['LIFE-08'],
    tamper: member('isTaskSuccessful', (session) =>
      session['isTaskSuccessful'] === false ? true : (session['isTaskSuccessful'] ?? null),
    ),
  },
  {
    id: 'live-url-number',
    breaks: 'liveUrl is a number.',
    server: 'reference',
    target: 'V3-SESSION-23',
    mayAlso: [...record, 'V3-SESSION-24', 'V3-SESSION-25', 'SVC-07'],
    tamper: member('liveUrl', () => 5),
  },
  {
    id: 'live-url-late',
    breaks: 'liveUrl is null.',
    server: 'reference',
    target: 'V3-SESSION-24',
    mayAlso: ['SVC-07', 'V3-SESSION-25', 'V3-SESSION-23'],
    tamper: member('liveUrl', () => null),
  },
  {
    id: 'live-page-not-framable',
    breaks: 'The page of liveUrl forbids embedding in a frame.',
    server: 'reference',
    target: 'V3-SESSION-25',
    mayAlso: ['SVC-07'],
    tamper: notFramable,
  },
  {
    id: 'recordings-null',
    breaks: 'recordingUrls is null.',
    server: 'reference',
    target: 'V3-SESSION-26',
    mayAlso: [...record, 'V3-SESSION-27', 'V3-SESSION-28', 'V3-CREATE-11', 'V3-CREATE-18'],
    tamper: member('recordingUrls', () => null),
  },
  {
    id: 'recordings-unasked',
    breaks: 'recordingUrls is filled without enableRecording.',
    server: 'reference',
    target: 'V3-SESSION-27',
    mayAlso: ['V3-SESSION-26', 'V3-SESSION-28', 'V3-CREATE-11'],
    tamper: member('recordingUrls', () => ['http://127.0.0.1:9/recording.webm']),
  },
  {
    id: 'profile-text',
    breaks: 'profileId is not a UUID.',
    server: 'reference',
    target: 'V3-SESSION-29',
    mayAlso: [...record, 'V3-CREATE-13', 'SVC-06'],
    tamper: member('profileId', () => 'work'),
  },
  {
    id: 'workspace-text',
    breaks: 'workspaceId is not a UUID.',
    server: 'reference',
    target: 'V3-SESSION-30',
    mayAlso: [...record, 'V3-CREATE-14'],
    tamper: member('workspaceId', () => 'desk'),
  },
  {
    id: 'country-upper',
    breaks: 'proxyCountryCode is in upper case.',
    server: 'reference',
    target: 'V3-SESSION-31',
    mayAlso: [...record, 'V3-CREATE-15', 'V3-ENUM-04', 'V3-ENUM-05'],
    tamper: member('proxyCountryCode', (session) =>
      typeof session['proxyCountryCode'] === 'string' ? session['proxyCountryCode'].toUpperCase() : null,
    ),
  },
  {
    id: 'proxy-billed-without-proxy',
    breaks: 'A stopped session that had no proxy shows proxy traffic.',
    server: 'reference',
    target: 'V3-SESSION-31',
    tamper: member('proxyUsedMb', (session) =>
      session['proxyCountryCode'] === null && session['status'] === 'stopped'
        ? '0.12'
        : (session['proxyUsedMb'] ?? null),
    ),
  },
  {
    id: 'ceiling-number',
    breaks: 'maxCostUsd is a number.',
    server: 'reference',
    target: 'V3-SESSION-32',
    mayAlso: [...decimals, 'V3-CREATE-16', 'LIMIT-06'],
    tamper: member('maxCostUsd', (session) => (session['maxCostUsd'] === null ? null : 1)),
  },
  {
    id: 'ceiling-forgotten',
    breaks: 'maxCostUsd is not shown.',
    server: 'reference',
    target: 'LIMIT-06',
    mayAlso: ['V3-SESSION-32', 'V3-CREATE-16'],
    tamper: member('maxCostUsd', () => null),
  },
  {
    id: 'input-tokens-text',
    breaks: 'totalInputTokens is a string.',
    server: 'reference',
    target: 'V3-SESSION-33',
    mayAlso: record,
    tamper: member('totalInputTokens', () => '12'),
  },
  {
    id: 'output-tokens-half',
    breaks: 'totalOutputTokens is not an integer.',
    server: 'reference',
    target: 'V3-SESSION-34',
    mayAlso: record,
    tamper: member('totalOutputTokens', () => 0.5),
  },
  {
    id: 'proxy-mb-number',
    breaks: 'proxyUsedMb is a number.',
    server: 'reference',
    target: 'V3-SESSION-35',
    mayAlso: decimals,
    tamper: member('proxyUsedMb', () => 0),
  },
  {
    id: 'llm-cost-dollar',
    breaks: 'llmCostUsd contains a dollar sign.',
    server: 'reference',
    target: 'V3-SESSION-36',
    mayAlso: decimals,
    tamper: member('llmCostUsd', () => '$0.01'),
  },
  {
    id: 'proxy-cost-empty',
    breaks: 'proxyCostUsd is an empty string.',
    server: 'reference',
    target: 'V3-SESSION-37',
    mayAlso: decimals,
    tamper: member('proxyCostUsd', () => ''),
  },
  {
    id: 'browser-cost-exponent',
    breaks: 'browserCostUsd has an exponent.',
    server: 'reference',
    target: 'V3-SESSION-38',
    mayAlso: decimals,
    tamper: member('browserCostUsd', () => '3e-4'),
  },
  {
    id: 'total-cost-null',
    breaks: 'totalCostUsd is null.',
    server: 'reference',
    target: 'V3-SESSION-39',
    mayAlso: decimals,
    tamper: member('totalCostUsd', () => null),
  },
  {
    id: 'total-not-the-sum',
    breaks: 'totalCostUsd is a cent too high.',
    server: 'reference',
    target: 'V3-SESSION-40',
    tamper: member('totalCostUsd', (session) => (Number(session['totalCostUsd']) + 0.01).toFixed(6)),
  },
  {
    id: 'cost-of-dots',
    breaks: 'A cost is a string with only a decimal point.',
    server: 'reference',
    target: 'V3-SESSION-46',
    mayAlso: [...decimals, 'V3-SESSION-37'],
    tamper: member('proxyCostUsd', () => '.'),
  },
  {
    id: 'cost-two-points',
    breaks: 'A cost has two decimal points.',
    server: 'reference',
    target: 'V3-SESSION-45',
    mayAlso: [...decimals, 'V3-SESSION-37'],
    tamper: member('proxyCostUsd', () => '0.0.1'),
  },
  {
    id: 'screenshot-object',
    breaks: 'screenshotUrl is an object.',
    server: 'reference',
    target: 'V3-SESSION-41',
    mayAlso: [...record, 'V3-SESSION-42', 'V3-GET-05', 'LIMIT-01', 'LIMIT-02', 'LIMIT-03'],
    tamper: member('screenshotUrl', (session) => (session['screenshotUrl'] === null ? null : { url: 'x' })),
  },
  {
    id: 'screenshot-relative',
    breaks: 'screenshotUrl has no host.',
    server: 'reference',
    target: 'V3-SESSION-41',
    mayAlso: ['LIMIT-01', 'LIMIT-02', 'V3-SESSION-47'],
    tamper: member('screenshotUrl', ({ screenshotUrl: url }) =>
      typeof url === 'string' && URL.canParse(url) ? url.slice(new URL(url).origin.length) : (url ?? null),
    ),
  },
  {
    id: 'screenshot-leads-nowhere',
    breaks: 'screenshotUrl of a session without a task answers 404.',
    server: 'reference',
    target: 'V3-SESSION-41',
    tamper: brokenScreenshot((session) => session['title'] === null),
  },
  {
    id: 'screenshot-of-end-leads-nowhere',
    breaks: 'screenshotUrl of an ended session answers 404.',
    server: 'reference',
    target: 'V3-SESSION-41',
    mayAlso: ['V3-SESSION-47'],
    tamper: brokenScreenshot((session) => session['status'] === 'stopped'),
  },
  {
    id: 'screenshot-repeats',
    breaks: 'Every GET returns the same screenshotUrl.',
    server: 'reference',
    target: 'V3-SESSION-42',
    mayAlso: ['V3-GET-05', 'LIMIT-03', 'LIMIT-01', 'LIMIT-02'],
    tamper: sameScreenshot,
  },
  {
    id: 'inbox-unasked',
    breaks: 'inboxEmail is present without the mailbox option.',
    server: 'reference',
    target: 'V3-SESSION-43',
    mayAlso: ['V3-CREATE-12'],
    tamper: member('inboxEmail', () => 'someone@inbox.invalid'),
  },
  {
    id: 'integrations-text',
    breaks: 'integrationsUsed is a string.',
    server: 'reference',
    target: 'V3-SESSION-44',
    mayAlso: record,
    tamper: member('integrationsUsed', () => 'none'),
  },
  {
    id: 'mailbox-object',
    breaks: 'inboxEmail is an object.',
    server: 'reference',
    target: 'V3-SESSION-43',
    mayAlso: [...record, 'V3-CREATE-12'],
    tamper: fetched((session) =>
      typeof session['inboxEmail'] === 'string'
        ? { ...session, inboxEmail: { address: session['inboxEmail'] } }
        : session,
    ),
  },
  {
    id: 'left-out-title',
    breaks: 'No session record has a title.',
    server: 'reference',
    target: 'V3-SESSION-09',
    mayAlso: ['LIFE-12', 'V3-SESSION-48'],
    tamper: records((session) => omit(session, 'title')),
  },
  {
    id: 'left-out-step-count',
    breaks: 'A session record leaves stepCount out after a task, although its default is 0.',
    server: 'reference',
    target: 'LIFE-13',
    mayAlso: ['V3-SESSION-17'],
    tamper: records((session) =>
      typeof session['isTaskSuccessful'] === 'boolean' ? omit(session, 'stepCount') : session,
    ),
  },
  {
    id: 'left-out-level',
    breaks: 'A session record leaves thinkingLevel out when it is disabled.',
    server: 'reference',
    target: 'V3-THINK-27',
    mayAlso: ['V3-HISTORY-06', 'V3-HISTORY-15'],
    tamper: records((session) => (session['thinkingLevel'] === 'disabled' ? omit(session, 'thinkingLevel') : session)),
  },
];
