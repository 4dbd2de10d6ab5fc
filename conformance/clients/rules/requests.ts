import { type JsonObject, type JsonValue, isJsonObject, toText } from '../../core/json.ts';
import type { ClientExchange, TrialRun } from '../recording.ts';
import {
  type JudgeTrial,
  type Judged,
  broken,
  brokenByFirst,
  calls,
  isSame,
  kept,
  ofKind,
  open,
  sentJson,
} from './judged.ts';

/** Judges CLIENT-REQUEST-01: an id must be encoded as one path segment, whatever characters it contains. */
export const encodesIds: JudgeTrial = (run) => {
  const id = toText(run.input['id']);
  const [first] = run.exchanges;
  if (first === undefined) return open('the program sent nothing');
  const path = first.target.split('?')[0] ?? '';
  const last = path
    .replace(/^.*\/runs\//, '')
    .replace(/\/$/, '')
    .replace(/\/(?:status|events)$/, '');
  if (decoded(last) === id && !last.includes('#')) return kept;
  return broken(`found ${first.target}, expected ${JSON.stringify(id)} percent-encoded as one segment`, first);
};

function decoded(text: string): string | undefined {
  if (/\/|%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return new URLSearchParams(`v=${text.replaceAll('+', '%2B').replaceAll('&', '%26')}`).get('v') ?? undefined;
}

/** Judges CLIENT-REQUEST-02: a request with a JSON body must have the content type application/json. */
export const declaresJson: JudgeTrial = (run) => {
  const withBody = calls(run).filter(({ body }) => body.length > 0);
  if (withBody.length === 0) return open('the program sent no body');
  return brokenByFirst(withBody, ({ headers }) => {
    const type = headers['content-type'];
    if (type?.split(';')[0]?.trim().toLowerCase() === 'application/json') return undefined;
    return `found ${type === undefined ? 'no Content-Type' : `Content-Type ${type}`}, expected application/json`;
  });
};

/**
 * Judges CLIENT-REQUEST-03: no path may contain an empty segment or end with a slash. A program without a request
 * violates the rule too.
 */
export const joinsAddress: JudgeTrial = ({ exchanges }) => {
  if (exchanges.length === 0) return broken('found no request for an address with a slash at its end, expected a run');
  return brokenByFirst(exchanges, ({ target }) => {
    const path = target.split('?')[0] ?? '';
    return path.includes('//') || path.endsWith('/') ? `found the path ${path}, expected no empty segment` : undefined;
  });
};

/** Judges CLIENT-REQUEST-04: every request below `/api/` of the service must call a documented operation. */
export const callsDocumented: JudgeTrial = (run) => {
  // In trials of this scenario the id may lead to any path. A separate rule judges its encoding.
  if (run.trial.scenario === 'read') return open('the program was given a text that is no identifier');
  const toService = run.exchanges.filter(({ host }) => host === 'service');
  if (toService.length === 0) return open('the program sent nothing to the service');
  return brokenByFirst(toService, ({ operation, method, target }) => {
    // Other paths are not judged: discovery of a CDP URL, and URLs from responses of the service.
    if (operation !== undefined || !/^\/+api\//.test(target)) return undefined;
    return `found ${method} ${target}, which no document has`;
  });
};

/** Judges CLIENT-REQUEST-05: the program must send the text of the task unchanged. */
export const keepsText: JudgeTrial = (run) => {
  const [create] = ofKind(run, 'create');
  if (create !== undefined && create.body.length > 0 && sentJson(create) === undefined)
    return broken('found a body that is no JSON in UTF-8', create);
  return withCreation(run, (sent, given, exchange) => {
    if (sent['task'] === given['task']) return kept;
    return broken(
      `found the task ${JSON.stringify(sent['task'])}, expected ${JSON.stringify(given['task'])}`,
      exchange,
    );
  });
};

/**
 * Judges CLIENT-REQUEST-06 and -08: the member at `path` must be absent, null or a value, exactly as in the program's
 * input.
 */
export function sendsAsGiven(...path: readonly string[]): JudgeTrial {
  return (run) =>
    withCreation(run, (sent, given, exchange) => {
      const [found, expected] = [at(sent, path), at(given, path)];
      return isSame(found, expected) ? kept : broken(differs(path.join('.'), found, expected), exchange);
    });
}

/**
 * Judges CLIENT-REQUEST-07: `thinkingLevel` of a follow-up must be absent, null or a value, exactly as in the program's
 * input.
 */
export const sendsLevelAsGiven: JudgeTrial = (run) => {
  const followUp = ofKind(run, 'create')[1];
  const sent = followUp === undefined ? undefined : sentJson(followUp);
  const given = run.input['followUp'];
  if (!isJsonObject(sent) || !isJsonObject(given)) return open('the program sent no follow-up');
  const [found, expected] = [sent['thinkingLevel'], given['thinkingLevel']];
  return isSame(found, expected) ? kept : broken(differs('thinkingLevel', found, expected), followUp);
};

/**
 * Judges CLIENT-REQUEST-09: if the input of the program has browser settings without a proxy country, the program must
 * fail before it sends a creation.
 */
export const demandsCountry: JudgeTrial = (run) => {
  const [create] = ofKind(run, 'create');
  const sent = create === undefined ? undefined : sentJson(create);
  if (create === undefined) return run.end.code === 0 ? broken('found success, expected a fault of the client') : kept;
  if (isJsonObject(sent) && at(sent, ['browserSettings', 'proxyCountryCode']) !== undefined) {
    return broken('found a proxyCountryCode that was not given, expected a fault of the client', create);
  }
  return broken('found browserSettings without proxyCountryCode, expected a fault before the request', create);
};

/**
 * Judges CLIENT-REQUEST-10: the program must send no member that its input does not contain. Other rules judge
 * `modelParams` and the level of a follow-up.
 */
export const sendsNoOthers: JudgeTrial = (run) => {
  const { create, followUp } = run.input;
  const [first, second] = ofKind(run, 'create', 'createBrowser');
  const known = isJsonObject(followUp)
    ? { ...followUp, sessionId: '', thinkingLevel: null, modelParams: {} }
    : undefined;
  if (first === undefined || !isJsonObject(create)) return open('the program gave no task');
  const creation = addsMember(first, { ...create, modelParams: {} });
  if (creation.verdict !== 'kept' || second === undefined || known === undefined) return creation;
  return addsMember(second, known);
};

function addsMember(exchange: ClientExchange, given: JsonObject): Judged {
  const sent = sentJson(exchange);
  if (!isJsonObject(sent)) return open('the program sent no JSON');
  const extra = Object.keys(sent).find((name) => !Object.hasOwn(given, name));
  if (extra === undefined) return kept;
  return broken(`found the member ${extra} (${JSON.stringify(sent[extra])}), which was not given`, exchange);
}

/** Judges CLIENT-REQUEST-11: the program must send `maxCostUsd` with all of its digits. */
export const keepsCeiling: JudgeTrial = (run) =>
  withCreation(run, (sent, given, exchange) => {
    const digits = toText(given['maxCostUsd']);
    if (sent['maxCostUsd'] === digits || exchange.body.includes(`:${digits}`)) return kept;
    return broken(differs('maxCostUsd', sent['maxCostUsd'], digits), exchange);
  });

function withCreation(
  run: TrialRun,
  judge: (sent: JsonObject, given: JsonObject, exchange: ClientExchange) => Judged,
): Judged {
  const [create] = ofKind(run, 'create');
  const sent = create === undefined ? undefined : sentJson(create);
  const given = run.input['create'];
  if (create === undefined || !isJsonObject(sent) || !isJsonObject(given)) return open('the program gave no task');
  return judge(sent, given, create);
}

function at(value: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
}

function differs(name: string, found: JsonValue | undefined, expected: JsonValue | undefined): string {
  const text = (value: JsonValue | undefined): string => (value === undefined ? 'absent' : JSON.stringify(value));
  return `found ${name} ${text(found)}, expected it ${text(expected)}`;
}
