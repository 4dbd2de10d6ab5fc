import { type JsonObject, isJsonObject } from '../harness/json.ts';
import { type StubAnswer, answerCall, jsonAnswer } from './answer-call.ts';
import { type CallLog, createCallLog } from './call-log.ts';
import type { Script } from './choose-saying.ts';
import { impossiblePairs } from './judgement/impossible-pairs.ts';
import { memberBreaches } from './judgement/member-breaches.ts';
import { callPath, marksIn } from './mark.ts';
import type { ProviderCall } from './provider-call.ts';
import { type Arrived, keyOf, keyWord } from './read-request.ts';
import { type Recognised, recognise } from './recognise.ts';
import { shorten } from './shorten.ts';

/** How a stub answers. */
export interface StubManner {
  script: Script;
  /** Provider by the last characters of the key that is stored for it. */
  ownKeyEndings: Readonly<Record<string, string>>;
}

/** Answers requests one by one; keeps what it has seen. */
export function createStubService(manner: StubManner): (arrived: Arrived) => StubAnswer {
  const log = createCallLog();
  return (arrived) => {
    if (arrived.path === callPath) return told(log, arrived);
    const recognised = arrived.method === 'POST' ? recognise(arrived.path, arrived.body) : undefined;
    if (recognised !== undefined) return answered(arrived, recognised, { log, manner });
    return helped(arrived) ?? jsonAnswer(404, { error: { message: `the stub serves no ${arrived.path}` } });
  };
}

function told(log: CallLog, { query }: Arrived): StubAnswer {
  const calls = log.of(query.get('mark') ?? '').map((call): JsonObject => ({ ...call }));
  return jsonAnswer(200, { calls, callsInAll: log.count() });
}

function answered(
  arrived: Arrived,
  { family, model, streams }: Recognised,
  { log, manner }: { log: CallLog; manner: StubManner },
): StubAnswer {
  const { body, path, text, query } = arrived;
  const key = keyOf(arrived);
  const short = shorten(body);
  const call: ProviderCall = {
    index: log.next(),
    family,
    path,
    model,
    key: keyWord(key),
    ownKeyOf: ownerOf(key, manner.ownKeyEndings),
    body: isJsonObject(short) ? short : {},
    breaches: breachesOf(arrived, { family, model, streams }),
  };
  const marks = marksIn(text);
  log.add(call, marks);
  const events = family !== 'google' || query.get('alt') === 'sse' ? 'events' : 'list';
  const said = ['Done.', ...marks.slice(-1)].join(' ');
  return answerCall(call, { script: manner.script, text: said, form: streams ? events : 'whole', body });
}

function breachesOf({ body, isJson, headers }: Arrived, { family, model }: Recognised): string[] {
  if (!isJson) return ['the body is no JSON object'];
  const betas = String(headers['anthropic-beta'] ?? '');
  return [
    ...memberBreaches(family, body, betas !== ''),
    ...impossiblePairs({ family, model: model.toLowerCase(), body, betas }),
  ];
}

function ownerOf(key: string, endings: StubManner['ownKeyEndings']): string | null {
  return Object.entries(endings).find(([, ending]) => key.endsWith(ending))?.[0] ?? null;
}

// What agents ask a provider beside the point: how long a prompt is, and which models there are.
function helped({ method, path }: Arrived): StubAnswer | undefined {
  if (method === 'POST' && path.endsWith('/count_tokens')) return jsonAnswer(200, { input_tokens: 12 });
  if (method === 'POST' && path.endsWith(':countTokens')) return jsonAnswer(200, { totalTokens: 12 });
  if (method === 'GET' && path.endsWith('/models')) return jsonAnswer(200, { object: 'list', data: [], models: [] });
  return undefined;
}
