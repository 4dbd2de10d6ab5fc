import { type CdpOutcome, clientKinds } from '../core/cdp.ts';
import { suiteLimit } from '../core/bounds.ts';
import { type FileUse, parseJsonFile } from '../core/data-file.ts';
import type { Exchange } from '../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, parseJson, toText } from '../core/json.ts';
import type { RecordedEvent } from '../core/recorder.ts';
import { SuiteError } from '../core/suite-error.ts';
import { answerLimits } from '../core/transport.ts';
import { generations } from '../core/target.ts';
import { type Recording, recordingSchema } from './recording.ts';

/** Description of a recording, for messages. */
export const recordingUse: FileUse = {
  expected: `a recording (${recordingSchema})`,
  next: 'make one with `svc check <url> --report har=FILE`',
  bytesMax: suiteLimit('suiteFile'),
};

/**
 * Parses the text of a HAR file that a run has written. `name` is the file name for messages. Throws SuiteError
 * `usage` for any other text.
 */
export function readHar(text: string, name = 'the recording'): Recording {
  const foreign = (found: string): SuiteError => foreignFile(`${name}, which is ${found}`);
  const log = memberAt(parseJsonFile(text, { ...recordingUse, name }), 'log');
  const run = memberAt(log, '_svc');
  const entries = memberAt(log, 'entries');
  if (!isJsonObject(log)) throw foreign('a file without a HAR log');
  if (!isJsonObject(run)) throw foreign('a HAR without log._svc, which says how its run was planned');
  if (run['schema'] !== recordingSchema) throw foreign(`a recording of the schema ${toText(run['schema'])}`);
  if (!Array.isArray(entries)) throw foreign('a HAR without log.entries');
  const turns = [...entries.flatMap((entry, at) => happeningsIn(entry, at)), ...endsIn(run['ends'])];
  const damaged = ['options', 'target', 'headers', 'secrets'].find((member) => !isJsonObject(run[member]));
  if (damaged !== undefined) throw foreign(`a HAR without log._svc.${damaged}`);
  const happenings = turns.toSorted((a, b) => a.turn - b.turn).map(({ happening }) => happening);
  // A run has written these members. Damage in them shows as soon as the run is planned again.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a file becomes a type
  return { ...(run as unknown as Omit<Recording, 'happenings'>), happenings };
}

function foreignFile(found: string): SuiteError {
  const { expected, next } = recordingUse;
  return new SuiteError('usage', { found, expected, next });
}

interface Turn {
  turn: number;
  happening: RecordedEvent;
}

function happeningsIn(entry: JsonValue, at: number): Turn[] {
  const svc = memberAt(entry, '_svc');
  if (!isJsonObject(svc) || !isJsonObject(entry)) throw foreignFile(`entry ${at} of the HAR without _svc`);
  if (entry['_webSocketMessages'] !== undefined) return outcomesIn(entry['_webSocketMessages'], svc);
  const turn = svc['turn'];
  if (typeof turn !== 'number') throw foreignFile(`entry ${at} of the HAR without _svc.turn`);
  return [{ turn, happening: { kind: 'exchange', exchange: parseExchange(entry, svc) } }];
}

function parseExchange(entry: JsonObject, svc: JsonObject): Exchange {
  const { generation, fault } = svc;
  const exceeds = answerLimits.find((name) => name === svc['exceeds']);
  const sent = memberAt(entry, 'request.postData.text');
  const body = toText(memberAt(entry, 'response.content.text'));
  return {
    index: Number(svc['index']),
    generation: generations.find((name) => name === generation) ?? 'other',
    operation: toText(svc['operation']),
    sentBy: toText(svc['sentBy']),
    atMs: Number(svc['atMs']),
    durationMs: Number(entry['time']),
    request: {
      method: toText(memberAt(entry, 'request.method')),
      url: toText(memberAt(entry, 'request.url')),
      headers: parseHeaders(memberAt(entry, 'request.headers')),
      ...(typeof sent === 'string' ? { body: sent } : {}),
    },
    status: Number(memberAt(entry, 'response.status')),
    headers: parseHeaders(memberAt(entry, 'response.headers')),
    body,
    json: exceeds === undefined ? parseJson(body) : undefined,
    ...(typeof fault === 'string' ? { fault } : {}),
    ...(exceeds === undefined ? {} : { exceeds }),
  };
}

function parseHeaders(list: JsonValue | undefined): Record<string, string> {
  const known = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return Object.fromEntries(known.map(({ name, value }) => [toText(name), toText(value)]));
}

function outcomesIn(messages: JsonValue, connection: JsonObject): Turn[] {
  const told = Array.isArray(messages) ? messages.map((message) => memberAt(message, '_svc')) : [];
  return told.filter(isJsonObject).map((svc) => ({
    turn: Number(svc['turn']),
    happening: { kind: 'cdp', outcome: parseOutcome(svc, connection) },
  }));
}

function parseOutcome(svc: JsonObject, { client, sentBy, connection }: JsonObject): CdpOutcome {
  const { call, words, value, fault, atMs, durationMs } = svc;
  const outcome = {
    sentBy: toText(sentBy),
    client: clientKinds.find((kind) => kind === client) ?? 'raw',
    connection: Number(connection),
    call: toText(call),
    words: Array.isArray(words) ? words.map((word) => toText(word)) : [],
    atMs: Number(atMs),
    durationMs: Number(durationMs),
    ...(value === undefined ? {} : { value }),
    ...(typeof fault === 'string' ? { fault } : {}),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a file becomes a type
  return outcome as CdpOutcome;
}

const endKinds = ['interrupted', 'timeLimit', 'answerLimit', 'unreachable'] as const;

function endsIn(list: JsonValue | undefined): Turn[] {
  const ends = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return ends.map(({ turn, why, reason }) => ({
    turn: Number(turn),
    happening: {
      kind: 'end',
      end: { why: endKinds.find((kind) => kind === why) ?? 'interrupted', reason: toText(reason) },
    },
  }));
}
