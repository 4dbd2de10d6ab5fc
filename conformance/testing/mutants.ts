import type { JsonObject } from '../core/json.ts';
import type { JudgedFake } from './judge-fake.ts';
import { defaultTarget } from '../core/default-target.ts';
import { browserFaults, browserRows } from './browser-mutants.ts';
import { type Fault, faults } from './faults.ts';

/** A faulty fake service. All ids of `fails` must fail; of all other ids, only those of `mayAlso` may fail. */
export interface Mutant extends JudgedFake {
  name: string;
  /** Ids that must fail. */
  fails: string[];
  /** Ids that may fail or pass, depending on the order in which simultaneous requests arrive. */
  mayAlso: string[];
}

/**
 * Faults that are detected without cost, judged with spend none. Each fault has the ids that must fail; ids with a
 * question mark may fail. `paid` has the faults that are judged with spend task.
 */
const free: Partial<Record<Fault, string>> = {
  'no key needed': 'AUTH-01 AUTH-03 AUTH-04 GEN-03',
  'no key needed from a local address': 'AUTH-01 GEN-03',
  'bearer accepted': 'AUTH-03',
  'query key accepted': 'AUTH-03',
  'lone cookie accepted': 'AUTH-03',
  'any key accepted': 'AUTH-01 AUTH-04 GEN-03',
  'key header in capital letters not read': 'AUTH-02',
  'key refused in V4':
    'AUTH-02 V4-BROWSER-13 V4-BROWSER-21 ERR-05 ERR-08 V3-ENUM-04 V3-ENUM-05 V4-PARAMS-27 V4-PARAMS-REFUSES V4-RUN-02 V4-RUN-03 V4-RUN-24 VER-07',
  'V2 not served':
    'ERR-05 ERR-07 MAP-06 MAP-11 MAP-13 MAP-15 V3-ENUM-02 SVC-08 V2-TASK-02 V2-TASK-03 V2-TASK-07 V2-THINK-30 V2-THINK-31 V2-THINK-REFUSES GEN-01 VER-01 VER-06 VER-07',
  'V3 creation not served':
    'ERR-05 ERR-06 MAP-13 V3-ENUM-02 V3-ENUM-03 V3-ENUM-04 V3-ENUM-05 SVC-08 GEN-01 V3-CREATE-04 V3-CREATE-17 V3-THINK-REFUSES VER-01 VER-05 VER-07',
  'one V3 cell accepted': 'ERR-06 V3-THINK-25 V3-THINK-REFUSES',
  'one V2 cell accepted': 'ERR-07 MAP-13 V2-TASK-07 V2-THINK-REFUSES',
  'one V4 value accepted': 'ERR-08 V4-PARAMS-REFUSES',
  'foreign path accepted': 'V4-PARAMS-27',
  'own-key model without key': 'BYOK-02 V3-OWN-KEY',
  'unrouted model selectable': 'V3-ROUTES',
  'own-key matrix differs': 'V3-THINK-25',
  'thinking replaces level': 'ERR-07 MAP-11 V2-TASK-07 V2-THINK-31 V2-THINK-REFUSES',
  'pair answers 400':
    'ERR-06 ERR-07 MAP-06 MAP-11 MAP-13 MAP-15 V2-TASK-07 V2-THINK-30 V2-THINK-31 V2-THINK-REFUSES V3-THINK-REFUSES VER-07',
  'field named in camel case': 'ERR-09 ERR-10',
  'wrong level list': 'ERR-10',
  'provider is null': 'ERR-10',
  'length of a body counted in characters': 'ERR-01 ERR-12 GEN-02',
  'levels separated by semicolons': 'ERR-11',
  'V4 list unsorted': 'ERR-14',
  'V4 double quotes': 'ERR-12',
  'refusal creates a session': 'ERR-15 MAP-01',
  'detail is text': 'ERR-01',
  'loc is text': 'ERR-02',
  'msg missing': 'ERR-03 ERR-09 ERR-10 ERR-12 ERR-13',
  'type missing': 'ERR-04',
  'capital id answers 422': 'V3-GET-06',
  'malformed id answers 404': 'ERR-05 V3-GET-02',
  'malformed JSON accepted': 'GEN-02',
  'list is not JSON': 'GEN-02',
  'fetch needs a content type': 'ERR-05 V3-GET-02 V3-GET-03',
  'unknown model accepted': 'ERR-05 V3-ENUM-03 V3-CREATE-04 V3-CREATE-17 V4-RUN-03',
  'unknown level accepted': 'ERR-05 V3-ENUM-02',
  'V2 types not checked': 'ERR-05 V2-TASK-02 V2-TASK-03',
  'modelParams as text accepted': 'ERR-05 V4-RUN-24',
  'object as an effort accepted': 'ERR-08 V4-PARAMS-REFUSES',
  'charset refused': 'ERR-05',
  'V2 creation without a body fails': 'ERR-05',
  'run without task accepted': 'V4-RUN-02',
  'unknown country accepted': 'ERR-05 V4-BROWSER-13 V3-ENUM-04 V3-ENUM-05',
  'upper-case country accepted': 'ERR-05 V3-ENUM-05 V4-BROWSER-13',
  'any action accepted': 'V4-BROWSER-21',
  'only the first leaf of modelParams is checked': 'ERR-08 V4-PARAMS-27 V4-PARAMS-REFUSES',
  'only the last leaf of modelParams is checked': 'ERR-08 V4-PARAMS-REFUSES',
  'null in modelParams ends their check': 'V4-PARAMS-27',
  'loc names another leaf of modelParams': 'ERR-12',
  'loc names a valid member of the run': 'ERR-12',
  'valid leaf of modelParams is blamed': 'ERR-12',
  'loc of a path parameter is in the body': 'ERR-02',
  'loc is an empty name': 'ERR-02',
  'loc is empty': 'ERR-02',
  'description has another version': 'VER-02',
  'description without server': 'VER-03',
};

const paid: Partial<Record<Fault, string>> = {
  'creation refused':
    'V3-CREATE-01 V3-CREATE-02 V3-CREATE-03 V3-CREATE-05 V3-CREATE-06 V3-CREATE-09 V3-THINK-23 V3-THINK-24 V3-THINK-ACCEPTS VER-09',
  'null level refused': 'V3-CREATE-05 V3-THINK-24 VER-09',
  'glm wants a level': 'V3-THINK-30',
  'missing level refused':
    'V3-CREATE-01 V3-CREATE-02 V3-CREATE-03 V3-CREATE-05 V3-CREATE-06 V3-CREATE-09 V3-THINK-23 VER-09 V3-THINK-ACCEPTS',
  'own key ignored': 'V3-CREATE-06 V3-THINK-ACCEPTS',
  'snake case not read': 'V3-CREATE-07',
  'camel case not read': 'V3-CREATE-06 V3-THINK-ACCEPTS',
  'fetch answers 202': 'V3-GET-01',
  'empty level accepted': 'ERR-05 V3-ENUM-02 V3-CREATE-17 V3-FOLLOW-06 V3-SESSION-07',
  'boolean as text accepted': 'ERR-05 V3-CREATE-17 V3-FOLLOW-07',
  'no output tokens': 'V3-HISTORY-24',
  'parts of events reversed': 'EVT-04',
  'unknown status': 'LIFE-01 LIFE-05 LIFE-20 V3-ENUM-01 SVC-01 V3-SESSION-02 V3-GET-04',
  'id is no uuid': 'V3-SESSION-01',
  'date without time': 'V3-SESSION-04',
  'alias is another model':
    'LIFE-03 V3-ALIASES V3-FOLLOW-01 V3-FOLLOW-02 V3-FOLLOW-03 V3-HISTORY-05 V3-THINK-29 V3-FOLLOW-04 V3-THINK-ACCEPTS',
  'default level is shown': 'V3-HISTORY-06 VER-10 V3-HISTORY-16',
  'success before a task': 'V3-HISTORY-07 V3-SESSION-21 V3-SESSION-22',
  'success while running': 'V3-HISTORY-07 V3-HISTORY-09 V3-HISTORY-23 V3-SESSION-21',
  'success never returns after a failure': 'V3-SESSION-19 V3-HISTORY-23',
  'success is always true': 'V3-SESSION-11 V3-SESSION-20 LIFE-15 V3-HISTORY-23',
  'success is never told': 'LIFE-15 V3-SESSION-19 V3-SESSION-20',
  'no live address': 'SVC-07 V3-SESSION-24',
  'live page forbids frames': 'V3-SESSION-25',
  'live page leads to a sign-in page': 'V3-SESSION-24',
  'live page of the latest session only': 'V3-SESSION-24',
  'live page needs a step': 'V3-SESSION-24',
  'profile of an earlier session is shown': 'V3-HISTORY-06',
  'idle session runs in a fetch with a query': 'V3-HISTORY-07 V3-HISTORY-03?',
  'recording without asking': 'V3-SESSION-27 V3-HISTORY-16',
  'no recording': 'V3-CREATE-11 V3-CREATE-18',
  'recording not downloadable': 'RECORDING-05 V3-SESSION-28',
  'failed task leaves no recording': 'V3-CREATE-11',
  'ceiling is a number': 'V3-HISTORY-06 LIMIT-06 V3-SESSION-32 V3-CREATE-16',
  'ceiling with an exponent shown as sent': 'V3-SESSION-32 V3-SESSION-45',
  'mailbox without asking': 'V3-SESSION-43 V3-HISTORY-12',
  'profile not loaded': 'V3-CREATE-13',
  'decimal with exponent': 'V3-SESSION-36 V3-SESSION-45',
  'wrong total': 'V3-SESSION-40',
  'listed session without updatedAt': 'V3-SESSION-06',
  'listed total is the model cost': 'V3-SESSION-40',
  'list keeps the first status': 'V3-HISTORY-08',
  'follow-up answer without createdAt': 'V3-SESSION-06',
  'follow-up pays for a proxy': 'V3-SESSION-31',
  'stale screenshot': 'LIMIT-02 LIMIT-03 V3-SESSION-42 V3-GET-05',
  'screenshot is a page': 'V3-SESSION-41',
  'screenshot dies early': 'LIMIT-01',
  'screenshot never expires': 'LIMIT-02',
  'screenshot ends with the session': 'V3-SESSION-47',
  'level is accepted for all models after one': 'V3-THINK-31 V3-THINK-REFUSES',
  'screenshot ends with the next address': 'LIMIT-01 V3-SESSION-47',
  'inactivity stops': 'LIFE-07 LIFE-18 LIFE-06',
  'inactivity counted from the creation': 'LIFE-07 LIFE-18',
  'failed start ends as timed_out': 'LIFE-08 LIFE-10',
  'crash ends as timed_out': 'LIFE-08 LIFE-19',
  'lost task was a success': 'LIFE-08 V3-SESSION-22',
  'keepAlive ignored': 'LIFE-06 LIFE-14',
  'third task ends in error': 'LIFE-14',
  'keepAlive always': 'LIFE-16 V3-CREATE-08',
  'code mode ignored': 'V3-SESSION-11 V3-SESSION-12 V3-CREATE-09',
  'code without result': 'V3-SESSION-12',
  'output repeats the task': 'SVC-01',
  'output schema ignored': 'V3-SESSION-13 V3-CREATE-10',
  'inner objects are empty': 'V3-SESSION-13 V3-CREATE-10',
  'minItems is ignored': 'V3-SESSION-13 V3-CREATE-10',
  'maxItems is ignored': 'V3-SESSION-13 V3-CREATE-10',
  'minLength is ignored': 'V3-SESSION-13 V3-CREATE-10',
  'maxLength is ignored': 'V3-SESSION-13 V3-CREATE-10',
  'minimum is ignored': 'V3-SESSION-13 V3-CREATE-10',
  'constant is cut': 'V3-SESSION-13 V3-CREATE-10',
  'output stays null': 'V3-SESSION-10 V3-SESSION-11 V3-SESSION-12 V3-SESSION-13 V3-CREATE-09 V3-CREATE-10 LIFE-15',
  'output is a number': 'V3-SESSION-14',
  'number or boolean output is text': 'V3-SESSION-13',
  'no title': 'LIFE-12 V3-SESSION-09 V3-SESSION-48',
  'step count falls': 'V3-SESSION-17 V3-HISTORY-21?',
  'summary stays that of the first task': 'LIFE-13',
  'created goes backwards': 'LIFE-05 LIFE-09 LIFE-20 SVC-01 V3-GET-04 V3-HISTORY-17',
  'end state is left': 'V3-HISTORY-03? V3-HISTORY-08 LIFE-01 LIFE-17 V3-STOP-02 LIFE-16',
  'stop leaves idle': 'LIFE-17 V3-STOP-02 V3-STOP-03',
  'stop refused': 'LIFE-17 V3-STOP-01 V3-STOP-02',
  'stop ignored at the start': 'V3-STOP-03',
  'stop ignored before the first task': 'V3-STOP-03',
  'follow-up refused': 'LIFE-03 V3-FOLLOW-01 V3-FOLLOW-02 V3-FOLLOW-04',
  'level of an alias refused': 'V3-FOLLOW-02 V3-FOLLOW-03 V3-THINK-ACCEPTS',
  'levels of one model refused in follow-ups': 'V3-THINK-ACCEPTS',
  'follow-up never runs': 'LIFE-07? LIFE-11 LIFE-12? LIFE-18? V3-HISTORY-23?',
  'follow-up ignores level': 'V3-THINK-27 V3-THINK-28 V3-HISTORY-15',
  'follow-up forgets level': 'V3-THINK-26 V3-THINK-27 V3-HISTORY-15',
  'follow-up keeps level on null': 'V3-THINK-28 V3-HISTORY-15',
  'follow-up not validated': 'V3-THINK-29 V3-FOLLOW-05',
  'follow-up with an own key not validated': 'V3-FOLLOW-05',
  'first task refused': 'V3-FOLLOW-04',
  'created accepts a task': 'LIFE-02',
  'result of an earlier task with its text': 'V3-SESSION-11 V3-SESSION-12 V3-SESSION-13 V3-CREATE-09 V3-CREATE-10',
  'schema of an earlier task with its text': 'V3-HISTORY-06 V3-HISTORY-15 V3-HISTORY-16 V3-SESSION-15',
  'run with the text of an earlier run is that run': 'IDENTITY-02',
  'record is stale after a follow-up': 'V3-HISTORY-14 V3-HISTORY-15',
  'status and outcome are stale after a follow-up': 'V3-HISTORY-14',
  'small ceiling shown with an exponent': 'V3-SESSION-32 V3-SESSION-45',
  'alias of a kept session is another model': 'V3-ALIASES V3-HISTORY-05',
  'kept session ignores code mode': 'V3-SESSION-11',
  'code mode stays for the next session': 'V3-SESSION-14 V3-SESSION-10? V3-SESSION-13? V3-CREATE-10?',
  'level is lost at rest': 'V3-THINK-26 V3-THINK-27 V3-HISTORY-15',
  'fetch of a stopped session costs': 'V3-HISTORY-08',
  'level is not set beside a recording': 'V3-HISTORY-06',
  'model cost of the first task only': 'V3-HISTORY-21',
  'steps of the first task only': 'V3-HISTORY-21',
};

/** Faults of tasks, runs and isolation between projects; judged with spend task and both keys. */
const jobs: Partial<Record<Fault, string>> = {
  'V2 creation refused': 'V2-TASK-01 V2-TASK-04 V2-TASK-05 V2-THINK-32 V2-THINK-ACCEPTS V2-VIEW-27 VER-08',
  'V2 thinking refused': 'V2-TASK-05 VER-08',
  'V2 null level refused': 'VER-08',
  'V2 missing level refused': 'V2-TASK-01 V2-TASK-04 V2-VIEW-27 VER-08',
  'V2 task never ends': 'SVC-01 V2-TASK-12',
  'V2 stop ignored': 'V2-TASK-08',
  'V2 level not checked in a session': 'V2-THINK-33',
  'V2 level not checked after an accepted one': 'V2-THINK-33? V2-THINK-34',
  'V4 value not checked after an accepted one': 'V4-PARAMS-35 V4-PARAMS-REFUSES',
  'V2 refusal stops tasks': 'V2-TASK-10',
  'V4 refusal cancels runs': 'V4-RUN-26 V4-RUN-31',
  'reads end runs': 'V4-RUN-34',
  'task id is unknown': 'IDENTITY-03',
  'run id is unknown': 'IDENTITY-03',
  'V2 task goes on': 'V2-TASK-09 V2-TASK-11',
  'V4 creation refused': 'V4-MODELS-ACCEPTED V4-PARAMS-33 V4-PARAMS-ACCEPTS V4-RUN-01',
  'run without id': 'V4-RUN-25',
  'empty params refused': 'V4-PARAMS-34 V4-PARAMS-37',
  'run never ends': 'SVC-01 V4-RUN-27 V4-RUN-33',
  'no result': 'SVC-01 V4-RUN-26',
  'result changes': 'V2-TASK-09 V4-RUN-28',
  'result repeats the task': 'SVC-01',
  'late stop clears the result': 'V2-TASK-09 V4-RUN-28',
  'run goes on': 'V4-RUN-29 V4-RUN-30',
  'cancel ignored': 'V4-RUN-30',
  'no events': 'EVT-01',
  'events not served': 'EVT-01',
  'events out of order': 'EVT-01 EVT-03',
  'event cursor is included': 'EVT-01 EVT-03',
  'events rewritten': 'EVT-03',
  'events truncated': 'EVT-03',
  'events inserted': 'EVT-03',
  'other project reads sessions': 'TENANCY-01',
  'other project lists sessions': 'TENANCY-04',
  'other project follows up sessions': 'TENANCY-03 TENANCY-05',
  'other project ends sessions': 'TENANCY-02 TENANCY-05',
  'other project reads tasks': 'TENANCY-06',
  'other project lists tasks': 'TENANCY-08',
  'other project ends tasks': 'TENANCY-07 TENANCY-09',
  'other project reads runs': 'TENANCY-10',
  'other project reads events': 'TENANCY-11',
  'other project lists runs': 'TENANCY-13',
  'other project ends runs': 'TENANCY-12 TENANCY-14',
};

/**
 * Faults that are judged on selected rows with the complete table: faults of one cell each, which only the complete
 * table is sure to send, faults that end active browsers, and faults of sessions without a task. Each fault has the
 * selected rows and areas, and the ids that must fail.
 */
const cells: readonly (readonly [Fault, string[], string])[] = [
  [
    'browser ends with a run',
    ['V4-BROWSER-26', 'V4-BROWSER-28', 'V4-BROWSER-29'],
    'V4-BROWSER-26 V4-BROWSER-28 V4-BROWSER-29',
  ],
  ['first stop of an unused browser does nothing', ['V4-BROWSER-18', 'V4-BROWSER-26'], 'V4-BROWSER-18'],
  ['one acceptance refused', ['v3-thinking'], 'V3-THINK-ACCEPTS'],
  ['one V2 acceptance refused', ['V2-THINK-ACCEPTS', 'V2-THINK-32'], 'V2-THINK-ACCEPTS'],
  ['V2 older claude refused', ['V2-THINK-ACCEPTS', 'V2-THINK-32'], 'V2-THINK-ACCEPTS V2-THINK-32'],
  ['one V4 acceptance refused', ['V4-PARAMS-ACCEPTS', 'V4-MODELS-ACCEPTED'], 'V4-PARAMS-ACCEPTS'],
  ['one V4 model refused', ['V4-PARAMS-ACCEPTS', 'V4-MODELS-ACCEPTED'], 'V4-MODELS-ACCEPTED'],
  ['missing params refused', ['v4-runs', 'v4-model-params'], 'V4-MODELS-ACCEPTED V4-PARAMS-33 V4-RUN-01'],
  ['browser ends with a session', ['V4-BROWSER-29'], 'V4-BROWSER-29'],
  ['browser ends with a deleted session', ['V4-BROWSER-29'], 'V4-BROWSER-29'],
  ['session without a task stays created', ['LIFE-21'], 'LIFE-21'],
  ['session without a task stops when ready', ['LIFE-21'], 'LIFE-21'],
];

/** A member of every session record, its wrong value, and the ids that must fail. */
const records: readonly (readonly [string, JsonObject[string], string])[] = [
  ['model', 'gpt-2', 'V3-ALIASES V3-SESSION-03'],
  ['updatedAt', 'yesterday', 'V3-SESSION-05'],
  ['thinkingLevel', 'max', 'V3-SESSION-07'],
  ['title', 7, 'LIFE-12 V3-SESSION-08 V3-SESSION-09'],
  ['outputSchema', null, 'V3-SESSION-15'],
  ['stepCount', '1', 'LIFE-13 V3-SESSION-16'],
  ['lastStepSummary', 7, 'V3-SESSION-18'],
  ['liveUrl', 7, 'V3-SESSION-23 V3-SESSION-24'],
  ['recordingUrls', 'x', 'V3-SESSION-26 V3-SESSION-27 V3-CREATE-11 V3-CREATE-18'],
  ['profileId', 'p', 'V3-SESSION-29 V3-CREATE-13'],
  ['workspaceId', 'w', 'V3-SESSION-30 V3-CREATE-14'],
  ['proxyCountryCode', 'US', 'V3-SESSION-31 V3-CREATE-15'],
  ['proxyCountryCode', null, 'V3-SESSION-31 V3-CREATE-15'],
  ['totalInputTokens', 1.5, 'V3-SESSION-33'],
  ['totalOutputTokens', '1', 'V3-SESSION-34'],
  ['proxyUsedMb', 1, 'V3-SESSION-35'],
  ['llmCostUsd', '+.', 'V3-SESSION-36 V3-SESSION-46'],
  ['proxyCostUsd', 1, 'LIFE-15 V3-SESSION-37'],
  ['browserCostUsd', 'a', 'V3-SESSION-38 V3-SESSION-45'],
  ['totalCostUsd', 0, 'LIFE-15 V3-SESSION-39'],
  ['screenshotUrl', 7, 'V3-SESSION-41'],
  ['inboxEmail', null, 'V3-CREATE-12'],
  ['integrationsUsed', 'x', 'V3-SESSION-44'],
];

const recordAreas = ['session-record', 'models', 'lifecycle', 'limits', 'v3-operations'];

function ofFaults(table: Partial<Record<Fault, string>>, spend: 'none' | 'browser' | 'task'): Mutant[] {
  return faults.flatMap((fault) => {
    const fails = table[fault];
    return fails === undefined ? [] : [{ name: fault, faults: [fault], options: { spend }, ...predict(fails) }];
  });
}

function predict(ids: string): Pick<Mutant, 'fails' | 'mayAlso'> {
  const [may = [], must = []] = [true, false].map((isOptional) =>
    ids.split(' ').filter((id) => id.endsWith('?') === isOptional),
  );
  return { fails: must, mayAlso: may.map((id) => id.slice(0, -1)) };
}

/**
 * All faulty fake services: those of the tables in this file and of browser-mutants.ts, and a few others. No service in
 * this list needs a provider stub.
 */
export const mutants: readonly Mutant[] = [
  ...ofFaults(free, 'none'),
  ...ofFaults(paid, 'task'),
  ...ofFaults(jobs, 'task'),
  ...ofFaults(browserFaults, 'browser').map(
    (mutant) => ({ ...mutant, options: { spend: 'browser', only: browserRows } }) as const,
  ),
  ...cells.map(([fault, only, fails]) => ({
    name: fault,
    faults: [fault],
    options: { matrix: 'full', only, maxDispatches: 400 } as const,
    ...predict(fails),
  })),
  ...records.map(([member, value, fails]) => ({
    name: `every record has ${member} ${JSON.stringify(value)}`,
    override: { [member]: value },
    options: { only: recordAreas, maxDispatches: 15 },
    ...predict(fails),
  })),
  {
    name: 'browser ends with a V2 session',
    faults: ['browser ends with a V2 session'],
    offers: ['v2.updateSession'],
    options: { only: ['V4-BROWSER-28'] },
    ...predict('V4-BROWSER-28'),
  },
  ...(['null keeps the managed proxy of a run', 'us is another country in a run'] as const).map((fault) => ({
    name: fault,
    faults: [fault],
    tasks: { country: 'Open {url}' },
    options: { only: ['VER-16'] },
    ...predict('VER-16'),
  })),
  {
    name: 'the other key has another prefix',
    keyPrefix: 'svc_fake',
    options: { only: ['authentication'], spend: 'none' },
    ...predict('AUTH-05'),
  },
  {
    name: 'session with structured output stays idle',
    faults: ['session with structured output stays idle'],
    options: { profile: 'documented', maxDispatches: 25 },
    ...predict('LIFE-16'),
  },
  {
    name: 'success of code mode is always true',
    faults: ['success of code mode is always true'],
    ...predict('V3-HISTORY-23 V3-SESSION-11'),
  },
  {
    name: 'level after a cleared one is ignored',
    faults: ['level after a cleared one is ignored'],
    options: { seed: 2 },
    ...predict('V3-HISTORY-15 V3-THINK-27'),
  },
  {
    name: 'screenshot opens once',
    faults: ['screenshot opens once'],
    control: null,
    options: { only: ['V3-SESSION-47', 'V3-SESSION-42', 'LIFE-17'] },
    ...predict('V3-SESSION-47'),
  },
  {
    name: 'null pays for the proxy, without a control URL',
    faults: ['null pays for the proxy'],
    control: null,
    options: { only: ['V4-BROWSER-24'] },
    ...predict('V4-BROWSER-24'),
  },
  {
    name: 'recording opens once',
    faults: ['recording opens once'],
    options: { only: ['V3-SESSION-28'] },
    ...predict('V3-SESSION-28'),
  },
  {
    name: 'result is cut at 64 bytes',
    faults: ['result is cut at 64 bytes'],
    tasks: { succeed: defaultTarget.tasks.succeed },
    options: { only: ['SVC-01'] },
    ...predict('SVC-01'),
  },
  {
    name: 'detail of a wrong strategy is text',
    faults: ['detail of a wrong strategy is text'],
    offers: ['v3.stopSession'],
    options: { only: ['errors'], spend: 'none' },
    ...predict('ERR-01'),
  },
  {
    name: 'detail of a wrong page size is an object',
    faults: ['detail of a wrong page size is an object'],
    offers: ['v3.listSessions'],
    options: { only: ['errors'], spend: 'none' },
    ...predict('ERR-01'),
  },
  {
    name: 'updatedAt stays while steps run',
    faults: ['updatedAt stays while steps run'],
    options: { only: ['session-history'] },
    // The default interval is shorter than the assumed unit of the target's clock.
    polling: { intervalMs: 25, startDeadlineMs: 2000, taskDeadlineMs: 2000, settleDeadlineMs: 200 },
    ...predict('V3-HISTORY-03'),
  },
  {
    name: 'records without updatedAt',
    faults: ['no updatedAt'],
    options: { only: recordAreas },
    ...predict('V3-SESSION-05 V3-SESSION-06'),
  },
];
