import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { contractRows } from '../contract-rows.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { withLevels, withParams } from '../flip.ts';
import { at, rows } from '../operation-tampers.ts';
import { details, jobCreated, jobs, omit, refuses, sent } from '../tampers.ts';

const v2Accepts = ['V2-TASK-01', 'V2-TASK-04', 'V2-TASK-05', 'V2-THINK-ACCEPTS', 'V2-THINK-32', 'VER-08'] as const;
const v4Accepts = ['V4-RUN-01', 'V4-PARAMS-33', 'V4-PARAMS-34', 'V4-PARAMS-ACCEPTS', 'V4-MODELS-ACCEPTED'] as const;
const v2Texts = ['ERR-09', 'ERR-10', 'ERR-11'] as const;
const v4Texts = ['ERR-12', 'ERR-14'] as const;

const tasks = '/api/v2/tasks';
const runs = '/api/v4/runs';
const v2 = { server: 'reference', only: contractRows('v2') } as const;
const v4 = { server: 'reference', only: contractRows('v4') } as const;

/** Changes the text of each error detail in 422 answers of V2. */
function taskText(change: (msg: string) => string): Tamper {
  const everywhere = details((detail) => ({ ...detail, msg: change(String(detail['msg'])) }));
  return { answer: (seen, given) => (seen.url.startsWith('/api/v2/') ? everywhere.answer?.(seen, given) : undefined) };
}

/** Returns whether the status of a record is terminal. */
function hasEnded(record: JsonObject): boolean {
  return ['completed', 'failed', 'cancelled'].includes(String(record['status']));
}

/** Changes the fetched record of a V4 run from the second fetch on that shows the run as ended. */
function afterEnd(change: (record: JsonObject, looks: number) => JsonObject): () => Tamper {
  return () => {
    const looks = new Map<string, number>();
    return jobs('v4', (record, seen) => {
      if (seen.method !== 'GET' || !hasEnded(record)) return record;
      const count = (looks.get(seen.url) ?? 0) + 1;
      looks.set(seen.url, count);
      return count > 1 ? change(record, count) : record;
    });
  };
}

/**
 * Shows a cancelled V4 run as cancelled in the first two fetches after the cancellation, and as running in all later
 * fetches.
 */
function cancelledGoesOn(): Tamper {
  const looks = new Map<string, number>();
  return jobs('v4', (record, seen) => {
    if (seen.method !== 'GET' || record['status'] !== 'cancelled') return record;
    const count = (looks.get(seen.url) ?? 0) + 1;
    looks.set(seen.url, count);
    return count > 2 ? { ...record, status: 'running' } : record;
  });
}

/** Returns true for a V2 request without a level whose model has no levels. */
function isOmitted(body: JsonObject): boolean {
  return ['gpt-4.1', 'minimax-m3'].includes(String(body['llm'])) && !('thinkingLevel' in body);
}

/** Answers a creation with the answer to the first creation that had the same task text. */
function reusesByText(path: string): () => Tamper {
  return () => {
    const answers = new Map<string, unknown>();
    return {
      answer: ({ method, url, body: asked }, { status, body }) => {
        if (method !== 'POST' || url !== path || status >= 300 || !isJsonObject(asked)) return undefined;
        const text = String(asked['task']);
        if (!answers.has(text)) answers.set(text, body);
        return { body: answers.get(text) };
      },
    };
  };
}

/** Answers each creation of a V2 task with 404, and each third with 429. */
function absentOrFull(): Tamper {
  let creations = 0;
  const full = refuses(tasks, () => (creations += 1) % 3 === 0, 429);
  const absent = refuses(tasks, () => true, 404);
  return { answer: (seen, given) => full.answer?.(seen, given) ?? absent.answer?.(seen, given) };
}

/** Servers whose V2 tasks are wrong. */
const taskMutants: readonly Mutant[] = [
  {
    ...v2,
    id: 'v2-not-created',
    breaks: 'V2 task creation answers 404.',
    target: 'V2-TASK-01',
    mayAlso: v2Accepts,
    tamper: refuses(tasks, () => true, 404),
  },
  {
    ...v2,
    id: 'v2-not-created-or-full',
    breaks: 'V2 task creation answers 404, and 429 to every third request.',
    target: 'V2-TASK-01',
    mayAlso: v2Accepts,
    tamper: absentOrFull,
  },
  {
    ...v2,
    id: 'v2-level-required',
    breaks: 'V2 refuses a task without thinkingLevel.',
    target: 'V2-TASK-04',
    mayAlso: v2Accepts,
    tamper: refuses(tasks, (body) => !('thinkingLevel' in body)),
  },
  {
    ...v2,
    id: 'v2-level-null',
    breaks: 'V2 refuses thinkingLevel null.',
    target: 'VER-08',
    tamper: refuses(tasks, (body) => body['thinkingLevel'] === null),
  },
  {
    ...v2,
    id: 'v2-omitted-level-refused',
    breaks: 'V2 refuses a task of a model without levels if it omits thinkingLevel.',
    target: 'VER-08',
    tamper: {
      answer: ({ method, url, body }, { status }) =>
        method === 'POST' && url === tasks && status === 404 && isJsonObject(body) && isOmitted(body)
          ? { status: 422, body: { detail: [{ loc: ['body'], msg: 'Not today', type: 'value_error' }] } }
          : undefined,
    },
  },
  {
    ...v2,
    only: ['IDENTITY-02', 'V2-TASK-01', 'V2-TASK-12'],
    id: 'v2-same-text-same-task',
    breaks: 'A V2 creation with the text of an earlier task answers with the earlier task.',
    target: 'IDENTITY-02',
    mayAlso: ['V2-TASK-12'],
    tamper: reusesByText(tasks),
  },
  {
    ...v2,
    id: 'v2-no-switch',
    breaks: 'V2 refuses thinking true.',
    target: 'V2-TASK-05',
    mayAlso: ['VER-08'],
    tamper: refuses(tasks, (body) => body['thinking'] === true),
  },
  {
    ...v2,
    id: 'v2-switch-any-type',
    breaks: 'V2 accepts thinking of any type.',
    target: 'V2-TASK-05',
    mayAlso: ['ERR-05'],
    tamper: sent(tasks, (body) => (typeof body['thinking'] === 'boolean' ? body : omit(body, 'thinking'))),
  },
  {
    ...v2,
    id: 'v2-o3-no-high',
    breaks: 'o3 refuses high in V2.',
    target: 'V2-THINK-ACCEPTS',
    mayAlso: v2Texts,
    matrix: 'full',
    rules: withLevels('v2', 'o3', ['low', 'medium']),
  },
  {
    ...v2,
    id: 'v2-flash-no-disabled',
    breaks: 'gemini-2.5-flash refuses disabled in V2.',
    target: 'V2-THINK-ACCEPTS',
    mayAlso: v2Texts,
    matrix: 'full',
    rules: withLevels('v2', 'gemini-2.5-flash', ['low', 'medium', 'high']),
  },
  {
    ...v2,
    id: 'v2-gemini-3-pro-no-low',
    breaks: 'gemini-3-pro-preview refuses low in V2.',
    target: 'V2-THINK-ACCEPTS',
    mayAlso: v2Texts,
    matrix: 'full',
    rules: withLevels('v2', 'gemini-3-pro-preview', ['high']),
  },
  {
    ...v2,
    id: 'v2-claude-4-no-disabled',
    breaks: 'claude-sonnet-4-5-20250929 refuses disabled in V2.',
    target: 'V2-THINK-32',
    mayAlso: ['V2-THINK-ACCEPTS', ...v2Texts],
    matrix: 'full',
    rules: withLevels('v2', 'claude-sonnet-4-5-20250929', []),
  },
  {
    ...v2,
    id: 'v2-o4-disabled',
    breaks: 'o4-mini accepts disabled in V2.',
    target: 'MAP-13',
    mayAlso: ['V2-THINK-REFUSES', 'ERR-07', 'V2-TASK-07', ...v2Texts],
    rules: withLevels('v2', 'o4-mini', ['disabled', 'low', 'medium', 'high']),
  },
  {
    ...v2,
    id: 'v2-llama-low',
    breaks: 'llama-4-maverick accepts low in V2.',
    target: 'V2-THINK-REFUSES',
    mayAlso: ['ERR-07', 'V2-TASK-07', ...v2Texts],
    rules: withLevels('v2', 'llama-4-maverick-17b-128e-instruct', ['low']),
  },
  {
    ...v2,
    id: 'v2-text-camel',
    breaks: 'The V2 error text names thinkingLevel.',
    target: 'ERR-09',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace('thinking_level', 'thinkingLevel')),
  },
  {
    ...v2,
    id: 'v2-text-no-provider',
    breaks: 'The V2 error text omits the provider.',
    target: 'ERR-10',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace(/ \(provider "[^"]*"\)/, '')),
  },
  {
    ...v2,
    id: 'v2-text-provider-unquoted',
    breaks: 'The V2 error text names the provider without quotes.',
    target: 'ERR-10',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace(/provider "([^"]*)"/, 'provider $1')),
  },
  {
    ...v2,
    id: 'v2-text-single-quotes',
    breaks: 'The V2 error text quotes the level with single quotes.',
    target: 'ERR-10',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace(/thinking_level="([^"]*)"/, "thinking_level='$1'")),
  },
  {
    ...v2,
    id: 'v2-text-other-level',
    breaks: 'The V2 error text names another level.',
    target: 'ERR-10',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace(/thinking_level="[^"]*"/, 'thinking_level="other"')),
  },
  {
    ...v2,
    id: 'v2-text-no-period',
    breaks: 'The V2 error text has no period before its list.',
    target: 'ERR-10',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace('". Supported', '" Supported')),
  },
  {
    ...v2,
    id: 'v2-text-extra-level',
    breaks: 'The V2 error text lists an additional level.',
    target: 'ERR-10',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replace(/(Supported values: .+)$/, '$1, extreme')),
  },
  {
    ...v2,
    id: 'v2-text-blanks',
    breaks: 'The V2 error text separates levels with spaces.',
    target: 'ERR-11',
    mayAlso: v2Texts,
    tamper: taskText((msg) => msg.replaceAll(', ', ' ')),
  },
  {
    ...v2,
    id: 'v2-never-ends',
    breaks: 'A V2 task never ends.',
    target: 'SVC-01',
    mayAlso: ['V2-TASK-08', 'V2-TASK-12'],
    tamper: jobs('v2', (task) => ({ ...task, status: 'started' })),
  },
  {
    server: 'reference',
    only: ['V2-TASK-08'],
    id: 'v2-stop-completes',
    breaks: 'A stopped V2 task has the status finished.',
    target: 'V2-TASK-08',
    tamper: jobs('v2', (task) => (task['status'] === 'stopped' ? { ...task, status: 'finished' } : task)),
  },
  {
    ...v2,
    id: 'v2-stop-does-nothing',
    breaks: 'A stop of a V2 task answers with success and does nothing.',
    target: 'V2-TASK-08',
    tamper: {
      request: (seen) =>
        seen.method === 'PATCH' && seen.url.startsWith(`${tasks}/`) ? { method: 'GET', body: '' } : undefined,
    },
  },
];

/** Servers whose V4 runs accept or refuse requests wrongly. */
const runRequestMutants: readonly Mutant[] = [
  {
    ...v4,
    id: 'v4-not-created',
    breaks: 'V4 run creation answers 404.',
    target: 'V4-RUN-01',
    mayAlso: v4Accepts,
    tamper: refuses(runs, () => true, 404),
  },
  {
    ...v4,
    id: 'v4-params-required',
    breaks: 'V4 refuses a run without modelParams.',
    target: 'V4-PARAMS-33',
    mayAlso: v4Accepts,
    tamper: refuses(runs, (body) => !('modelParams' in body)),
  },
  {
    ...v4,
    id: 'v4-params-empty',
    breaks: 'V4 refuses empty modelParams.',
    target: 'V4-PARAMS-34',
    tamper: refuses(runs, (body) => JSON.stringify(body['modelParams']) === '{}'),
  },
  {
    ...v4,
    id: 'v4-no-grok',
    breaks: 'V4 refuses grok-4.5.',
    target: 'V4-MODELS-ACCEPTED',
    matrix: 'full',
    tamper: refuses(runs, (body) => body['model'] === 'grok-4.5'),
  },
  {
    ...v4,
    id: 'v4-no-gemini-3.6',
    breaks: 'V4 refuses gemini-3.6-flash.',
    target: 'V4-MODELS-ACCEPTED',
    mayAlso: ['V4-PARAMS-ACCEPTS'],
    matrix: 'full',
    tamper: refuses(runs, (body) => body['model'] === 'gemini-3.6-flash'),
  },
  {
    ...v4,
    id: 'v4-luna-no-xhigh',
    breaks: 'gpt-5.6-luna refuses xhigh.',
    target: 'V4-PARAMS-ACCEPTS',
    mayAlso: v4Texts,
    matrix: 'full',
    rules: withParams('gpt-5.6-luna', 'reasoning.effort', ['none', 'low', 'medium', 'high', 'max']),
  },
  {
    ...v4,
    id: 'v4-gpt-5.5-no-none',
    breaks: 'gpt-5.5 refuses none.',
    target: 'V4-PARAMS-ACCEPTS',
    mayAlso: v4Texts,
    matrix: 'full',
    rules: withParams('gpt-5.5', 'reasoning.effort', ['low', 'medium', 'high', 'xhigh']),
  },
  {
    ...v4,
    id: 'v4-opus-5-no-adaptive',
    breaks: 'claude-opus-5 refuses adaptive thinking.',
    target: 'V4-PARAMS-ACCEPTS',
    mayAlso: v4Texts,
    matrix: 'full',
    rules: withParams('claude-opus-5', 'thinking.type', ['disabled']),
  },
  {
    ...v4,
    id: 'v4-sonnet-no-omitted',
    breaks: 'claude-sonnet-5 refuses to omit its thinking.',
    target: 'V4-PARAMS-ACCEPTS',
    mayAlso: v4Texts,
    matrix: 'full',
    rules: withParams('claude-sonnet-5', 'thinking.display', ['summarized']),
  },
  {
    ...v4,
    id: 'v4-flash-no-minimal',
    breaks: 'gemini-3.5-flash refuses minimal.',
    target: 'V4-PARAMS-ACCEPTS',
    mayAlso: v4Texts,
    matrix: 'full',
    rules: withParams('gemini-3.5-flash', 'thinkingConfig.thinkingLevel', ['low', 'medium', 'high']),
  },
  {
    ...v4,
    id: 'v4-terra-minimal',
    breaks: 'gpt-5.6-terra accepts minimal.',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', ...v4Texts],
    rules: withParams('gpt-5.6-terra', 'reasoning.effort', [
      'minimal',
      'none',
      'low',
      'medium',
      'high',
      'xhigh',
      'max',
    ]),
  },
  {
    ...v4,
    id: 'v4-opus-4.7-enabled',
    breaks: 'claude-opus-4.7 accepts an unlisted type of thinking.',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', ...v4Texts],
    rules: withParams('claude-opus-4.7', 'thinking.type', ['adaptive', 'disabled', 'enabled']),
  },
  {
    ...v4,
    id: 'v4-fable-effort',
    breaks: 'claude-fable-5 accepts an effort.',
    target: 'V4-PARAMS-REFUSES',
    mayAlso: ['ERR-08', ...v4Texts],
    rules: withParams('claude-fable-5', 'output_config.effort', ['low', 'medium', 'high', 'xhigh', 'max']),
  },
  {
    ...v4,
    id: 'v4-gemini-foreign',
    breaks: 'gemini-3.1-pro accepts the effort parameter of another provider.',
    target: 'V4-PARAMS-27',
    mayAlso: ['ERR-08', ...v4Texts],
    rules: withParams('gemini-3.1-pro', 'reasoning.effort', ['none', 'low', 'medium', 'high', 'xhigh', 'max']),
  },
  {
    ...v4,
    id: 'v4-params-409',
    breaks: 'V4 answers an unsupported value with 409.',
    target: 'ERR-08',
    mayAlso: ['V4-PARAMS-REFUSES', 'V4-PARAMS-27', 'ERR-13', 'VER-07', ...v4Texts],
    tamper: {
      answer: (seen, { status, body }) =>
        seen.url === runs && status === 422 && JSON.stringify(body).includes('modelParams.')
          ? { status: 409 }
          : undefined,
    },
  },
];

/** Servers whose V4 runs cannot be observed correctly. */
const runLifeMutants: readonly Mutant[] = [
  {
    ...v4,
    id: 'run-without-id',
    breaks: 'The answer to run creation has no id.',
    target: 'V4-RUN-25',
    tamper: jobCreated(runs, (run) => omit(run, 'id')),
  },
  {
    ...v4,
    id: 'run-id-renamed',
    breaks: 'The answer to run creation calls its id runId.',
    target: 'V4-RUN-25',
    tamper: jobCreated(runs, (run) => ({ ...omit(run, 'id'), runId: run['id'] ?? null })),
  },
  {
    ...v4,
    id: 'run-id-null',
    breaks: 'The id in the answer to run creation is null.',
    target: 'V4-RUN-25',
    tamper: jobCreated(runs, (run) => ({ ...run, id: null })),
  },
  {
    ...v4,
    id: 'run-never-ends',
    breaks: 'A V4 run never ends.',
    target: 'V4-RUN-27',
    mayAlso: ['SVC-01', 'V4-RUN-30', 'V4-RUN-33'],
    tamper: jobs('v4', (run) => ({ ...run, status: 'running' })),
  },
  {
    ...v4,
    id: 'run-stays-queued',
    breaks: 'A V4 run stays queued.',
    target: 'V4-RUN-27',
    mayAlso: ['SVC-01', 'V4-RUN-30', 'V4-RUN-33'],
    tamper: jobs('v4', (run) => ({ ...run, status: 'queued' })),
  },
  {
    ...v4,
    id: 'run-result-missing',
    breaks: 'A run record has no result.',
    target: 'V4-RUN-26',
    tamper: jobs('v4', (run) => omit(run, 'result')),
  },
  {
    ...v4,
    id: 'run-result-null',
    breaks: 'The result of a run stays null.',
    target: 'V4-RUN-26',
    tamper: jobs('v4', (run) => ('result' in run ? { ...run, result: null } : run)),
  },
  {
    ...v4,
    id: 'run-result-lost',
    breaks: 'The result of a run is missing at the second GET.',
    target: 'V4-RUN-28',
    mayAlso: ['V4-RUN-26'],
    tamper: afterEnd((run) => ('result' in run ? { ...run, result: null } : run)),
  },
  {
    ...v4,
    id: 'run-result-changes',
    breaks: 'The result of a run changes after its end.',
    target: 'V4-RUN-28',
    mayAlso: ['V4-RUN-32'],
    tamper: afterEnd((run, looks) => ('result' in run ? { ...run, result: `answer ${looks}` } : run)),
  },
  {
    server: 'reference',
    only: ['V4-RUN-30'],
    id: 'run-cancel-completes',
    breaks: 'A cancelled run has the status completed.',
    target: 'V4-RUN-30',
    tamper: jobs('v4', (run) => (run['status'] === 'cancelled' ? { ...run, status: 'completed' } : run)),
  },
  {
    ...v4,
    id: 'run-resurrects',
    breaks: 'An ended run is running again.',
    target: 'V4-RUN-29',
    mayAlso: ['V4-RUN-30', 'V4-RUN-26'],
    tamper: afterEnd((run) => ({ ...run, status: 'running' })),
  },
  {
    ...v4,
    id: 'run-ends-twice',
    breaks: 'A run that was completed fails afterwards.',
    target: 'V4-RUN-29',
    tamper: afterEnd((run) => (run['status'] === 'completed' ? { ...run, status: 'failed' } : run)),
  },
  {
    ...v4,
    id: 'run-cancelled-goes-on',
    breaks: 'A cancelled run continues.',
    target: 'V4-RUN-29',
    mayAlso: ['V4-RUN-30'],
    tamper: cancelledGoesOn,
  },
  {
    ...v4,
    id: 'run-cancel-does-nothing',
    breaks: 'A cancellation answers with success and does nothing.',
    target: 'V4-RUN-30',
    tamper: {
      request: (seen) =>
        seen.url.endsWith('/cancel') ? { method: 'GET', url: seen.url.replace('/cancel', ''), body: '' } : undefined,
    },
  },
  {
    ...v4,
    id: 'run-cancel-claims',
    breaks: 'A cancellation answers with a cancelled run, and the run continues.',
    target: 'V4-RUN-30',
    mayAlso: ['AUTH-01', 'GEN-03'],
    tamper: {
      request: (seen) =>
        seen.url.endsWith('/cancel')
          ? { method: 'GET', url: seen.url.replace('/cancel', '?claim'), body: '' }
          : undefined,
      answer: (seen, { body }) =>
        seen.url.endsWith('/cancel') ? { status: 200, body: { ...Object(body), status: 'cancelled' } } : undefined,
    },
  },
  {
    server: 'reference',
    only: ['IDENTITY-02', 'V4-RUN-01'],
    id: 'v4-same-text-same-run',
    breaks: 'A run with the text of an earlier run answers with the earlier run.',
    target: 'IDENTITY-02',
    mayAlso: ['V4-RUN-01'],
    tamper: reusesByText(runs),
  },
  {
    server: 'reference',
    // Other rows would create runs, which push this run off the first page.
    only: ['V4-RUN-29'],
    id: 'run-listed-as-running',
    breaks: 'The list of runs shows completed ones as running.',
    target: 'V4-RUN-29',
    targetFile: (text) => text.replace(/settleDeadlineMs: \d+/, 'settleDeadlineMs: 1'),
    tamper: rows(at('GET', runs), 'runs', (items) =>
      items.map((item) => (item['status'] === 'completed' ? { ...item, status: 'running' } : item)),
    ),
  },
  {
    server: 'reference',
    only: ['V2-TASK-09'],
    id: 'v2-output-of-earlier-tasks-changes',
    breaks: 'The output of a V2 task that had completed is another one at each look.',
    target: 'V2-TASK-09',
    tamper: () => {
      const id = '00000000-0000-4000-8000-000000000001';
      let looks = 0;
      return {
        answer({ method, url }, { body }) {
          if (method !== 'GET' || !url.startsWith(tasks) || !isJsonObject(body)) return undefined;
          const record = { id, status: 'finished', task: 'Reply', output: `Look ${(looks += 1)}` };
          if (url.startsWith(`${tasks}/${id}`)) return { status: 200, body: record };
          return Array.isArray(body['items']) ? { body: { ...body, items: [record, ...body['items']] } } : undefined;
        },
      };
    },
  },
];

/** Servers whose V2 tasks and V4 runs are wrong. */
export const jobMutants: readonly Mutant[] = [...taskMutants, ...runRequestMutants, ...runLifeMutants];
