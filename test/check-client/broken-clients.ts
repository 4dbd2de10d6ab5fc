import type { ClientRuleId } from '#generated/requirements.ts';

/** A text or a pattern in a file of the good client, and its replacement. */
type Change = readonly [file: string, from: string, to: string];

/** A client that breaks one rule, derived from examples/check-client/fetch. */
export interface BrokenClient {
  readonly rule: ClientRuleId;
  readonly name: string;
  readonly changes: readonly Change[];
  /** Trials in which the client runs. @defaultValue the trials that judge its rule */
  readonly trials?: readonly string[];
}

const client = 'client.mjs';
const reading = 'reading.mjs';
const files = 'files.mjs';
const browser = 'browser.mjs';
const adapter = 'adapter.mjs';
const generations = 'generations.mjs';

const keyHeader = "'X-Service-API-Key': key,";
const send = "await fetch(base + where, { ...options, redirect: 'error' })";
const start = "(await call('POST', path, { json })).id";
const record = "      return call('GET', one(id));";
const refused = 'response.status === 429 && waitMs < 10_000';

const keys: readonly BrokenClient[] = [
  { rule: 'CLIENT-KEY-01', name: 'sends no key', changes: [[client, keyHeader, '']], trials: ['run-v4'] },
  {
    rule: 'CLIENT-KEY-01',
    name: 'sends the key with writes alone',
    changes: [[client, keyHeader, "...(method === 'GET' ? {} : { 'X-Service-API-Key': key }),"]],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-KEY-02',
    name: 'sends the key as a bearer token too',
    changes: [[client, keyHeader, `${keyHeader} Authorization: 'Bearer ' + key,`]],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-02',
    name: 'sends the key in the address too',
    changes: [
      [client, 'fetch(base + where,', "fetch(base + where + (where.includes('?') ? '&' : '?') + 'key=' + key,"],
    ],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-02',
    name: 'sends the key in a cookie too',
    changes: [[client, keyHeader, `${keyHeader} Cookie: 'key=' + key,`]],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-03',
    name: 'follows redirects',
    changes: [[client, "redirect: 'error'", "redirect: 'follow'"]],
    trials: ['redirect-v4'],
  },
  {
    rule: 'CLIENT-KEY-03',
    name: 'uploads with the key',
    changes: [
      [
        files,
        "{ 'Content-Type': contentType }",
        "{ 'Content-Type': contentType, 'X-Service-API-Key': process.env.SERVICE_API_KEY }",
      ],
    ],
    trials: ['files-v4'],
  },
  {
    rule: 'CLIENT-KEY-03',
    name: 'downloads with the key',
    changes: [
      [
        files,
        'let response = await fetch(url);',
        "let response = await fetch(url, { headers: { 'X-Service-API-Key': process.env.SERVICE_API_KEY } });",
      ],
    ],
    trials: ['files-v3'],
  },
  {
    rule: 'CLIENT-KEY-04',
    name: 'logs its headers',
    changes: [[client, '    const options =', '    console.error(headers);\n    const options =']],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-04',
    name: 'shows the key with a fault',
    changes: [[client, '${words(text)}`', '${words(text)} (key ${key})`']],
    trials: ['refused-list'],
  },
  {
    rule: 'CLIENT-KEY-02',
    name: 'adds the key to the address of a browser',
    changes: [[browser, 'new WebSocket(cdpUrl)', 'new WebSocket(`${cdpUrl}?key=${process.env.SERVICE_API_KEY}`)']],
    trials: ['browser-plain'],
  },
  {
    rule: 'CLIENT-KEY-04',
    name: 'hides the last letters of the key alone',
    changes: [
      [
        client,
        '    const options =',
        "    console.error(method, where, key.slice(0, -4) + '****');\n    const options =",
      ],
    ],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-04',
    name: 'logs its credentials as Base64',
    changes: [
      [
        client,
        '    const options =',
        "    console.error(Buffer.from(`api:${key}`).toString('base64'));\n    const options =",
      ],
    ],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-05',
    name: 'has a key of its own',
    changes: [[client, keyHeader, "'X-Service-API-Key': 'svc_0123456789',"]],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-KEY-05',
    name: 'cuts the key',
    changes: [[client, keyHeader, "'X-Service-API-Key': key.slice(0, 20),"]],
    trials: ['run-v3'],
  },
  { rule: 'CLIENT-KEY-06', name: 'sends its requests without a key', changes: [[client, /if \(!key\).*/.source, '']] },
  {
    rule: 'CLIENT-KEY-06',
    name: 'uses a key for tests where it has none',
    changes: [[client, /if \(!key\).*/.source, "key ??= 'svc_test';"]],
  },
];

const requests: readonly BrokenClient[] = [
  {
    rule: 'CLIENT-REQUEST-01',
    name: 'puts ids into the path as they are',
    changes: [[client, 'encodeURIComponent(id)', 'id']],
  },
  {
    rule: 'CLIENT-REQUEST-01',
    name: 'encodes ids as whole addresses',
    changes: [[client, 'encodeURIComponent(id)', 'encodeURI(id)']],
  },
  {
    rule: 'CLIENT-REQUEST-02',
    name: 'declares no type',
    changes: [[client, "...(json && { 'Content-Type': 'application/json' })", '']],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-REQUEST-02',
    name: 'declares a form',
    changes: [[client, "'application/json'", "'application/x-www-form-urlencoded'"]],
    trials: ['run-v2'],
  },
  {
    rule: 'CLIENT-REQUEST-03',
    name: 'keeps the slash of the address',
    changes: [[client, "address.replace(/\\/+$/, '')", 'address']],
  },
  {
    rule: 'CLIENT-REQUEST-03',
    name: 'ends paths with a slash',
    changes: [[client, 'fetch(base + where,', "fetch((base + where).replace(/(?=\\?|$)/, '/'),"]],
  },
  {
    rule: 'CLIENT-REQUEST-04',
    name: 'asks whether the service is healthy',
    changes: [
      [
        client,
        '    async start(json) {',
        "    async start(json) {\n      await call('GET', '/health').catch(() => undefined);",
      ],
    ],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-REQUEST-04',
    name: 'reads the result of a run that has no result',
    changes: [[client, record, `      await call('GET', one(id) + '/result').catch(() => undefined);\n${record}`]],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-REQUEST-05',
    name: 'leaves other letters out',
    changes: [
      [client, start, "(await call('POST', path, { json: { ...json, task: json.task.replace(/[^ -~]/g, '') } })).id"],
    ],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-REQUEST-05',
    name: 'sends Latin-1',
    changes: [
      [client, 'body: json && JSON.stringify(json)', "body: json && Buffer.from(JSON.stringify(json), 'latin1')"],
    ],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-REQUEST-06',
    name: 'sends an empty modelParams',
    changes: [[client, start, "(await call('POST', path, { json: { modelParams: {}, ...json } })).id"]],
  },
  {
    rule: 'CLIENT-REQUEST-06',
    name: 'sends null for modelParams',
    changes: [[client, start, "(await call('POST', path, { json: { modelParams: null, ...json } })).id"]],
  },
  {
    rule: 'CLIENT-REQUEST-06',
    name: 'leaves an empty modelParams out',
    changes: [
      [
        client,
        '      const { browserSettings } = json;',
        '      const { browserSettings } = json;\n      if (Object.keys(json.modelParams ?? {}).length === 0) delete json.modelParams;',
      ],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-07',
    name: 'leaves null out of a follow-up',
    changes: [
      [
        adapter,
        '{ ...input.followUp, sessionId: id }',
        'JSON.parse(JSON.stringify({ ...input.followUp, sessionId: id }, (_, value) => value ?? undefined))',
      ],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-07',
    name: 'sends null with every follow-up',
    changes: [
      [adapter, '{ ...input.followUp, sessionId: id }', '{ thinkingLevel: null, ...input.followUp, sessionId: id }'],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-08',
    name: 'leaves out that there is to be no proxy',
    changes: [
      [
        client,
        start,
        "(await call('POST', path, { json: JSON.parse(JSON.stringify(json, (name, value) => (name === 'proxyCountryCode' ? (value ?? undefined) : value))) })).id",
      ],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-08',
    name: 'replaces null with a country',
    changes: [
      [
        client,
        start,
        "(await call('POST', path, { json: browserSettings ? { ...json, browserSettings: { proxyCountryCode: 'us' } } : json })).id",
      ],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-09',
    name: 'sends browser settings without a country',
    changes: [[client, "if (browserSettings && !('proxyCountryCode' in browserSettings))", 'if (false)']],
  },
  {
    rule: 'CLIENT-REQUEST-09',
    name: 'chooses a country itself',
    changes: [
      [client, "throw new Error('give a proxyCountryCode, or null')", "browserSettings.proxyCountryCode = 'us'"],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-10',
    name: 'says what it is in every body',
    changes: [[client, start, "(await call('POST', path, { json: { ...json, clientVersion: '1.0' } })).id"]],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-REQUEST-10',
    name: 'sends defaults of its own',
    changes: [[client, start, "(await call('POST', path, { json: { keepAlive: false, ...json } })).id"]],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-REQUEST-10',
    name: 'sends a level of its own',
    changes: [
      [
        client,
        start,
        "(await call('POST', path, { json: { ...(version === 'v3' && !json.sessionId && { thinkingLevel: 'medium' }), ...json } })).id",
      ],
    ],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-REQUEST-10',
    name: 'sends a ceiling of its own',
    changes: [
      [
        client,
        start,
        "(await call('POST', path, { json: { ...(version === 'v3' && !json.sessionId && { maxCostUsd: '5' }), ...json } })).id",
      ],
    ],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-REQUEST-10',
    name: 'repeats the model in a follow-up',
    changes: [
      [
        adapter,
        '{ ...input.followUp, sessionId: id }',
        '{ ...input.followUp, model: input.create.model, sessionId: id }',
      ],
    ],
    trials: ['level-set'],
  },
  {
    rule: 'CLIENT-REQUEST-10',
    name: 'asks for no proxy where nothing was set',
    changes: [[browser, '{ json: settings }', '{ json: { proxyCountryCode: null, ...settings } }']],
    trials: ['browser-plain'],
  },
  {
    rule: 'CLIENT-REQUEST-11',
    name: 'sends a ceiling as a float',
    changes: [
      [
        client,
        start,
        "(await call('POST', path, { json: json.maxCostUsd ? { ...json, maxCostUsd: Number(json.maxCostUsd) } : json })).id",
      ],
    ],
  },
  {
    rule: 'CLIENT-REQUEST-11',
    name: 'rounds a ceiling to cents',
    changes: [
      [
        client,
        start,
        "(await call('POST', path, { json: json.maxCostUsd ? { ...json, maxCostUsd: Number(json.maxCostUsd).toFixed(2) } : json })).id",
      ],
    ],
  },
];

/** Returns a client that does not recognise one terminal state. */
function blindTo(state: string, trial: string): BrokenClient {
  return {
    rule: 'CLIENT-POLL-04',
    name: `does not know ${state} (${trial})`,
    changes: [[client, 'while (!ends.includes(', `while (!ends.filter((one) => one !== '${state}').includes(`]],
    trials: [trial],
  };
}

const polling: readonly BrokenClient[] = [
  {
    rule: 'CLIENT-POLL-01',
    name: 'asks without a pause',
    changes: [[client, 'await sleep(pollMs)', 'await sleep(0)']],
    trials: ['ends-completed', 'run-v4'],
  },
  {
    rule: 'CLIENT-POLL-01',
    name: 'asks fifty times a second',
    changes: [[client, 'await sleep(pollMs)', 'await sleep(20)']],
    trials: ['ends-completed', 'run-v3'],
  },
  {
    rule: 'CLIENT-POLL-01',
    name: 'asks for further events without a pause',
    changes: [[reading, 'await sleep(pollMs)', 'await sleep(0)']],
    trials: ['events-paged', 'events-pause'],
  },
  {
    rule: 'CLIENT-POLL-02',
    name: 'does not read Retry-After',
    changes: [[client, "Number(response.headers.get('retry-after')) * 1000 || waitMs", 'waitMs']],
  },
  {
    rule: 'CLIENT-POLL-02',
    name: 'reads Retry-After as milliseconds',
    changes: [
      [client, "Number(response.headers.get('retry-after')) * 1000", "Number(response.headers.get('retry-after'))"],
    ],
  },
  { rule: 'CLIENT-POLL-03', name: 'waits as long each time', changes: [[client, 'waitMs * 2', 'waitMs']] },
  { rule: 'CLIENT-POLL-03', name: 'waits less and less', changes: [[client, 'waitMs * 2', 'waitMs / 2']] },
  blindTo('finished', 'ends-finished'),
  blindTo('stopped', 'ends-task-stopped'),
  blindTo('idle', 'ends-idle'),
  blindTo('stopped', 'ends-stopped'),
  blindTo('timed_out', 'ends-timed-out'),
  blindTo('error', 'ends-error'),
  blindTo('completed', 'ends-completed'),
  blindTo('failed', 'ends-failed'),
  blindTo('cancelled', 'ends-cancelled'),
  {
    rule: 'CLIENT-POLL-05',
    name: 'takes running for an end',
    changes: [[generations, "['completed',", "['running', 'completed',"]],
    trials: ['ends-completed', 'ends-failed'],
  },
  {
    rule: 'CLIENT-POLL-05',
    name: 'takes created for an end',
    changes: [[generations, "['idle',", "['created', 'idle',"]],
    trials: ['ends-idle'],
  },
  {
    rule: 'CLIENT-POLL-05',
    name: 'asks once',
    changes: [[client, /while \(!ends.*/.source, "await call('GET', one(id) + state);"]],
    trials: ['ends-finished'],
  },
  {
    rule: 'CLIENT-POLL-06',
    name: 'shows no output',
    changes: [[adapter, 'output: output ?? result ?? null', 'output: null']],
    trials: ['run-v4'],
  },
  {
    rule: 'CLIENT-POLL-06',
    name: 'shows the state as text for people',
    changes: [[adapter, 'return { id, status,', 'return { id: `run ${id}`, status,']],
    trials: ['run-v3'],
  },
  {
    rule: 'CLIENT-POLL-06',
    name: 'has states of its own',
    changes: [[adapter, 'return { id, status,', 'return { id, status: status.toUpperCase(),']],
    trials: ['run-v2'],
  },
  {
    rule: 'CLIENT-POLL-06',
    name: 'does not read the record',
    changes: [[client, record, "      return { id, status: 'completed' };"]],
    trials: ['run-v4'],
  },
];

const answers: readonly BrokenClient[] = [
  {
    rule: 'CLIENT-ANSWER-01',
    name: 'refuses members that it does not know',
    changes: [
      [
        client,
        record,
        `      const { task, model, ...rest } = await call('GET', one(id));\n      if (Object.values(rest).some((value) => value?.nested)) throw new Error('unexpected member');\n      return rest;`,
      ],
    ],
    trials: ['run-v4', 'new-members-v4'],
  },
  {
    rule: 'CLIENT-ANSWER-02',
    name: 'refuses models that it does not know',
    changes: [
      [
        client,
        record,
        `      const found = await call('GET', one(id));\n      if (found.model && !['gpt-5.6-luna', 'claude-sonnet-5'].includes(found.model)) throw new Error('unknown model');\n      return found;`,
      ],
    ],
    trials: ['run-v4', 'new-values-v4'],
  },
  {
    rule: 'CLIENT-ANSWER-03',
    name: 'throws for events that it does not know',
    changes: [
      [
        reading,
        '    seen.push(...events);',
        "    if (events.some(({ type }) => !known.test(type))) throw new Error('unknown event');\n    seen.push(...events);",
      ],
      [
        reading,
        'const isEnd',
        'const known = /^(run\\.(created|started|judged|completed)|browser\\.ready|agent\\.step|model\\.call|artifact\\.created|mail\\.received)$/;\nconst isEnd',
      ],
    ],
  },
  {
    rule: 'CLIENT-ANSWER-03',
    name: 'drops events that it does not know',
    changes: [
      [reading, '    seen.push(...events);', '    seen.push(...events.filter(({ type }) => known.test(type)));'],
      [
        reading,
        'const isEnd',
        'const known = /^(run\\.(created|started|judged|completed)|browser\\.ready|agent\\.step|model\\.call|artifact\\.created|mail\\.received)$/;\nconst isEnd',
      ],
    ],
  },
  {
    rule: 'CLIENT-ANSWER-04',
    name: 'throws for a state that it does not know',
    changes: [
      [
        client,
        /while \(!ends.*/.source,
        "for (let status; !ends.includes(status); await sleep(pollMs)) {\n        status = (await call('GET', one(id) + state)).status;\n        if (status.startsWith('paused')) throw new Error('unknown state');\n      }",
      ],
    ],
  },
  {
    rule: 'CLIENT-ANSWER-04',
    name: 'takes a state that it does not know for an end',
    changes: [
      [
        client,
        "while (!ends.includes((await call('GET', one(id) + state)).status))",
        "while (['queued', 'dispatching', 'running', 'created', 'started'].includes((await call('GET', one(id) + state)).status))",
      ],
    ],
  },
  {
    rule: 'CLIENT-ANSWER-05',
    name: 'reads sums as floats',
    changes: [[adapter, 'cost: totalCostUsd ?? cost', 'cost: Number(totalCostUsd ?? cost)']],
  },
  {
    rule: 'CLIENT-ANSWER-05',
    name: 'rounds sums to cents',
    changes: [[adapter, 'cost: totalCostUsd ?? cost', 'cost: Number(totalCostUsd ?? cost).toFixed(2)']],
  },
  {
    rule: 'CLIENT-ANSWER-06',
    name: 'takes 200 alone',
    changes: [[client, 'if (!response.ok)', 'if (response.status !== 200)']],
    trials: ['run-v2'],
  },
  {
    rule: 'CLIENT-ANSWER-06',
    name: 'parses the body of a 204',
    changes: [[client, "text === '' ? undefined : JSON.parse(text)", 'JSON.parse(text)']],
    trials: ['files-v4'],
  },
  {
    rule: 'CLIENT-ERROR-01',
    name: 'shows a list as an object',
    changes: [
      [client, "return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')", 'return `${detail}`'],
    ],
  },
  {
    rule: 'CLIENT-ERROR-01',
    name: 'shows the first of a list',
    changes: [[client, "detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')", 'detail[0].msg']],
  },
  {
    rule: 'CLIENT-ERROR-02',
    name: 'takes every detail for a list',
    changes: [
      [
        client,
        'if (Array.isArray(detail)) return detail.map',
        "if (Array.isArray(detail) || typeof detail === 'string') return detail.map",
      ],
    ],
  },
  {
    rule: 'CLIENT-ERROR-02',
    name: 'does not show a text',
    changes: [
      [client, 'return message ?? detail?.message ?? detail;', "return message ?? detail?.message ?? 'refused';"],
    ],
  },
  {
    rule: 'CLIENT-ERROR-03',
    name: 'shows a detail as an object',
    changes: [[client, 'message ?? detail?.message ?? detail', 'message ?? `${detail}`']],
  },
  {
    rule: 'CLIENT-ERROR-03',
    name: 'shows the code of a detail',
    changes: [[client, 'detail?.message ?? detail', 'detail?.code ?? detail']],
  },
  {
    rule: 'CLIENT-ERROR-04',
    name: 'parses every refusal',
    changes: [[client, "if (!text.startsWith('{')) return text.slice(0, 200);", '']],
  },
  {
    rule: 'CLIENT-ERROR-04',
    name: 'shows no status',
    changes: [[client, '`${response.status} ${words(text)}`', 'words(text)']],
  },
  {
    rule: 'CLIENT-ERROR-05',
    name: 'sends a refused request again',
    changes: [[client, refused, 'response.status >= 400 && response.status < 500 && waitMs < 2000']],
    trials: ['refused-list'],
  },
  {
    rule: 'CLIENT-ERROR-05',
    name: 'corrects a refused request by itself',
    changes: [
      [
        client,
        '    const text = await response.text();',
        '    if (response.status === 422 && json.model) return call(method, where, { json: { task: json.task } });\n    const text = await response.text();',
      ],
    ],
    trials: ['refused-list'],
  },
  {
    rule: 'CLIENT-ERROR-05',
    name: 'sends a request again that was refused with 400',
    changes: [[client, refused, '(response.status === 429 || response.status === 400) && waitMs < 2000']],
    trials: ['refused-text'],
  },
  {
    rule: 'CLIENT-ERROR-05',
    name: 'sends a request again that was refused for its cost',
    changes: [[client, refused, '(response.status === 429 || response.status === 402) && waitMs < 2000']],
    trials: ['refused-object'],
  },
  {
    rule: 'CLIENT-NETWORK-01',
    name: 'waits for a second',
    changes: [
      [client, 'AbortSignal.timeout(timeoutMs)', "AbortSignal.timeout(where.endsWith('/status') ? 1200 : timeoutMs)"],
    ],
  },
  {
    rule: 'CLIENT-NETWORK-02',
    name: 'decodes piece by piece',
    changes: [
      [
        client,
        'const text = await response.text();',
        "let text = '';\n    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();",
      ],
    ],
  },
  {
    rule: 'CLIENT-NETWORK-02',
    name: 'reads the first piece',
    changes: [
      [
        client,
        'const text = await response.text();',
        "const first = await response.body?.getReader().read();\n    const text = first?.value ? Buffer.from(first.value).toString() : '';",
      ],
    ],
  },
  {
    rule: 'CLIENT-NETWORK-03',
    name: 'does not unpack what it asks for',
    changes: [
      [
        client,
        '    const text = await response.text();',
        "    if (response.headers.has('content-encoding')) throw new Error('unexpected bytes');\n    const text = await response.text();",
      ],
    ],
  },
  {
    rule: 'CLIENT-NETWORK-04',
    name: 'has no time-out',
    changes: [[client, ', signal: AbortSignal.timeout(timeoutMs)', '']],
  },
];

const writes: readonly BrokenClient[] = [
  {
    rule: 'CLIENT-WRITE-01',
    name: 'repeats a request whose connection was cut',
    changes: [[client, send, `${send}.catch(() => fetch(base + where, options))`]],
  },
  {
    rule: 'CLIENT-WRITE-02',
    name: 'repeats a request after a fault of the server',
    changes: [[client, refused, '(response.status === 429 || response.status >= 500) && waitMs < 10_000']],
  },
  {
    rule: 'CLIENT-WRITE-02',
    name: 'repeats a request after a 503 alone',
    changes: [[client, refused, '(response.status === 429 || response.status === 503) && waitMs < 10_000']],
    trials: ['server-busy'],
  },
  {
    rule: 'CLIENT-WRITE-02',
    name: 'repeats a request after the 502 of a gateway',
    changes: [[client, refused, '(response.status === 429 || response.status === 502) && waitMs < 2000']],
    trials: ['refused-page'],
  },
  {
    rule: 'CLIENT-WRITE-03',
    name: 'repeats a request that was not answered in time',
    changes: [
      [
        client,
        send,
        `${send}.catch((error) => {
      if (error.name !== 'TimeoutError') throw error;
      return fetch(base + where, { ...options, signal: AbortSignal.timeout(timeoutMs) });
    })`,
      ],
    ],
  },
  {
    rule: 'CLIENT-WRITE-04',
    name: 'deletes a session in place of a stop',
    changes: [
      [
        adapter,
        '(await client.stop(id)).status',
        "(input.version === 'v3' ? await client.call('DELETE', `/sessions/${id}`) : await client.stop(id))?.status ?? 'stopped'",
      ],
    ],
    trials: ['stop-v3'],
  },
  {
    rule: 'CLIENT-WRITE-04',
    name: 'only forgets a run',
    changes: [[adapter, '(await client.stop(id)).status', "'cancelled'"]],
    trials: ['stop-v4'],
  },
  {
    rule: 'CLIENT-WRITE-05',
    name: 'has no answer to Ctrl-C',
    changes: [[adapter, /process\.once\('SIGINT'.*/.source, '']],
  },
  {
    rule: 'CLIENT-WRITE-05',
    name: 'ends at Ctrl-C without a stop',
    changes: [
      [adapter, 'Promise.allSettled(started.map(client.stop)).then(() => process.exit(130))', 'process.exit(130)'],
    ],
  },
  {
    rule: 'CLIENT-BROWSER-01',
    name: 'gives a dropped connection up',
    changes: [[browser, 'connectionsMax = 3', 'connectionsMax = 1']],
  },
  {
    rule: 'CLIENT-BROWSER-01',
    name: 'creates a new browser after a dropped connection',
    changes: [
      [
        browser,
        'withBrowser({ call }, settings, drive) {',
        'withBrowser({ call }, settings, drive, left = connectionsMax) {',
      ],
      [
        browser,
        'if (connections === connectionsMax) throw error;',
        'if (left === 1) throw error;\n        return await withBrowser({ call }, settings, drive, left - 1);',
      ],
    ],
  },
  {
    rule: 'CLIENT-BROWSER-02',
    name: 'only closes its connection',
    changes: [[browser, "await call('PATCH', `/browsers/${id}`, { json: { action: 'stop' } });", '']],
    trials: ['browser-plain', 'browser-lost'],
  },
  {
    rule: 'CLIENT-BROWSER-02',
    name: 'names another action',
    changes: [[browser, "{ action: 'stop' }", "{ action: 'close' }"]],
    trials: ['browser-plain'],
  },
  {
    rule: 'CLIENT-BROWSER-03',
    name: 'stops a browser after success alone',
    changes: [
      [
        browser,
        '        return { id, ...(await drive(cdpUrl)) };',
        "        const found = await drive(cdpUrl);\n        await call('PATCH', `/browsers/${id}`, { json: { action: 'stop' } });\n        return { id, ...found };",
      ],
      [
        browser,
        "  } finally {\n    await call('PATCH', `/browsers/${id}`, { json: { action: 'stop' } });\n  }",
        '  } finally {\n  }',
      ],
    ],
  },
];

const lists: readonly BrokenClient[] = [
  {
    rule: 'CLIENT-LIST-01',
    name: 'reads the first page',
    changes: [[reading, 'if (!nextCursor) return ids;', 'return ids;']],
  },
  {
    rule: 'CLIENT-LIST-01',
    name: 'takes a short page for the last',
    changes: [[reading, 'if (!nextCursor) return ids;', 'if (runs.length < limit) return ids;']],
  },
  {
    rule: 'CLIENT-LIST-02',
    name: 'shows items twice',
    changes: [
      [reading, 'const ids = new Set();', 'const ids = [];'],
      [reading, 'ids.add(id)', 'ids.push(id)'],
    ],
  },
  {
    rule: 'CLIENT-LIST-02',
    name: 'counts the pages at the start',
    changes: [
      [reading, 'const ids = new Set();', 'const ids = new Set();\n  let pages;'],
      [reading, 'const { sessions } =', 'const { sessions, total } ='],
      [reading, 'if (sessions.length === 0)', 'pages ??= Math.ceil(total / limit);\n    if (page >= pages)'],
    ],
  },
  {
    rule: 'CLIENT-LIST-03',
    name: 'does not encode a cursor',
    changes: [[reading, 'encodeURIComponent(nextCursor)', 'nextCursor']],
  },
  {
    rule: 'CLIENT-LIST-03',
    name: 'encodes a cursor twice',
    changes: [[reading, 'encodeURIComponent(nextCursor)', 'encodeURIComponent(encodeURIComponent(nextCursor))']],
  },
  {
    rule: 'CLIENT-EVENT-01',
    name: 'reads the last event again',
    changes: [[reading, 'after = nextAfter ?? after;', 'after = Math.max(0, (nextAfter ?? after + 1) - 1);']],
  },
  {
    rule: 'CLIENT-EVENT-01',
    name: 'leaves an event out between two pages',
    changes: [[reading, 'after = nextAfter ?? after;', 'after = nextAfter === null ? after : nextAfter + 1;']],
  },
  {
    rule: 'CLIENT-EVENT-01',
    name: 'counts events in place of a cursor',
    changes: [[reading, 'after = nextAfter ?? after;', 'after = seen.length;']],
  },
  {
    rule: 'CLIENT-EVENT-01',
    name: 'sorts the ids of events as texts',
    changes: [
      [reading, 'return seen;', 'return seen.toSorted((one, other) => (`${one.id}` < `${other.id}` ? -1 : 1));'],
    ],
  },
  {
    rule: 'CLIENT-EVENT-01',
    name: 'shows new events first',
    changes: [[reading, 'seen.push(...events);', 'seen.unshift(...events);']],
  },
  {
    rule: 'CLIENT-EVENT-02',
    name: 'ends with the last page',
    changes: [[reading, 'if (!hasMore && !seen.some(isEnd)) await sleep(pollMs);', 'if (!hasMore) return seen;']],
  },
  {
    rule: 'CLIENT-EVENT-02',
    name: 'ends with an empty page',
    changes: [
      [reading, '    seen.push(...events);', '    if (events.length === 0) return seen;\n    seen.push(...events);'],
    ],
  },
];

const transfers: readonly BrokenClient[] = [
  { rule: 'CLIENT-FILE-01', name: 'uploads with POST', changes: [[files, "method: 'PUT'", "method: 'POST'"]] },
  {
    rule: 'CLIENT-FILE-01',
    name: 'uploads the first file alone',
    changes: [[files, '    if (status >= 300) throw', '    break;\n    if (status >= 300) throw']],
  },
  {
    rule: 'CLIENT-FILE-02',
    name: 'uploads all files with one type',
    changes: [[files, "{ 'Content-Type': contentType }", "{ 'Content-Type': 'application/octet-stream' }"]],
  },
  {
    rule: 'CLIENT-FILE-02',
    name: 'announces another length',
    changes: [[files, 'size: bytes.length', 'size: bytes.length + 1']],
  },
  {
    rule: 'CLIENT-FILE-03',
    name: 'reads bytes as text',
    changes: [[files, 'Buffer.from(await response.arrayBuffer())', 'Buffer.from(await response.text())']],
  },
  {
    rule: 'CLIENT-FILE-03',
    name: 'sends seven bits of each byte',
    changes: [[files, 'body: bytes', 'body: bytes.map((byte) => byte & 127)']],
  },
  {
    rule: 'CLIENT-FILE-04',
    name: 'adds to an address',
    changes: [
      [
        files,
        'let response = await fetch(url);',
        'let response = await fetch(`${url}${url.includes("?") ? "&" : "?"}download=1`);',
      ],
    ],
  },
  {
    rule: 'CLIENT-FILE-04',
    name: 'writes an address in small letters',
    changes: [[files, 'let response = await fetch(url);', 'let response = await fetch(url.toLowerCase());']],
  },
  {
    rule: 'CLIENT-FILE-04',
    name: 'decodes an address',
    changes: [[files, 'let response = await fetch(url);', 'let response = await fetch(decodeURIComponent(url));']],
  },
  {
    rule: 'CLIENT-FILE-05',
    name: 'asks an expired address again',
    changes: [[files, '(await list()).find((file) => file.path === path).url', 'url']],
  },
  {
    rule: 'CLIENT-FILE-05',
    name: 'gives an expired address up',
    changes: [[files, /if \(response\.status === 403\).*/.source, '']],
  },
];

/** Every broken client. */
export const brokenClients: readonly BrokenClient[] = [
  ...keys,
  ...requests,
  ...polling,
  ...answers,
  ...writes,
  ...lists,
  ...transfers,
];
