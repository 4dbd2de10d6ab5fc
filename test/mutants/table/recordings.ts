import type { Mutant, Tamper } from '../mutant.ts';
import { at, both, isAt, rows, says, wants } from '../operation-tampers.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { fetched } from '../tampers.ts';

const scripted = { server: 'scripted', only: ['recordings'] } as const;
/** Sets the deadlines of a target file to 30 seconds, because these servers finish eventually. */
const patient = (text: string): string => text.replaceAll(/(start|task|settle)DeadlineMs: \d+/g, '$1DeadlineMs: 30000');
const reference = { server: 'reference', only: ['recordings'], targetFile: patient } as const;
const [browsers, one] = ['/api/v4/browsers', '/api/v4/browsers/*'];
const create = at('POST', browsers);
const recording = at('GET', '/recordings/*');
const elsewhere = 'http://127.0.0.1:9/recording.webm';

/** Answers requests for recordings with the given response. */
function gives(given: { readonly status?: number; readonly body: string }): Tamper {
  return { addresses: true, answer: (seen) => (isAt(recording, seen) ? given : undefined) };
}

/**
 * Changes the fetched records of V3 sessions with keepAlive. A session has keepAlive if its last accepted request with
 * this member has set it to true.
 */
function whileKept(change: (record: JsonObject) => JsonObject): () => Tamper {
  return () => {
    const kept = new Set<unknown>();
    const note: Tamper = {
      answer: ({ method, url, body: asked }, { status, body }) => {
        if (method !== 'POST' || url !== '/api/v3/sessions' || status >= 300) return undefined;
        if (!isJsonObject(asked) || !isJsonObject(body)) return undefined;
        if (asked['keepAlive'] === true) kept.add(body['id']);
        if (asked['keepAlive'] === false) kept.delete(body['id']);
        return undefined;
      },
    };
    return both(
      note,
      fetched((record) => (kept.has(record['id']) ? change(record) : record)),
    );
  };
}

/** Servers whose recordings are wrong. */
export const recordingMutants: readonly Mutant[] = [
  {
    ...scripted,
    id: 'recording-in-stop',
    breaks: 'The answer to a stop shows a recording.',
    target: 'RECORDING-01',
    mayAlso: ['RECORDING-03'],
    tamper: says(at('PATCH', one), { recordingUrl: elsewhere }),
  },
  {
    ...scripted,
    id: 'recording-in-lists',
    breaks: 'Lists of browsers show recordings.',
    target: 'RECORDING-01',
    tamper: rows(at('GET', browsers), 'items', (items) => items.map((item) => ({ ...item, recordingUrl: elsewhere }))),
  },
  {
    ...scripted,
    id: 'recording-never-shown',
    breaks: 'The recording of a browser is never shown.',
    target: 'RECORDING-02',
    tamper: says(at('GET', one), { recordingUrl: null }),
  },
  {
    ...scripted,
    id: 'recording-not-made',
    breaks: 'A browser is not recorded, but shows recordingAvailable true.',
    target: 'RECORDING-02',
    tamper: both(
      wants(create, () => ({ enableRecording: undefined })),
      says(at('GET', one), { recordingAvailable: true }),
    ),
  },
  {
    ...scripted,
    id: 'recording-unasked',
    breaks: 'Every browser is recorded.',
    target: 'RECORDING-03',
    tamper: wants(create, () => ({ enableRecording: true })),
  },
  {
    ...scripted,
    id: 'recording-not-found',
    breaks: 'The URL of a recording answers 404.',
    target: 'RECORDING-04',
    tamper: gives({ status: 404, body: '' }),
  },
  {
    ...scripted,
    id: 'recording-no-video',
    breaks: 'The URL of a recording returns an HTML page.',
    target: 'RECORDING-04',
    tamper: gives({ body: '<!doctype html><title>Your recording</title>' }),
  },
  {
    ...reference,
    id: 'recording-session-no-video',
    breaks: "The URL of a session's recording returns an HTML page.",
    target: 'RECORDING-05',
    tamper: gives({ body: '<!doctype html><title>Your recording</title>' }),
  },
  {
    ...reference,
    id: 'recording-session-elsewhere',
    breaks: "The URL of a session's recording points to a closed port.",
    target: 'RECORDING-05',
    tamper: fetched((record) => ({
      ...record,
      recordingUrls: Array.isArray(record['recordingUrls']) && record['recordingUrls'].length > 0 ? [elsewhere] : [],
    })),
  },
  {
    ...reference,
    id: 'recording-v2-unasked',
    breaks: 'Every V2 session shows a recording.',
    target: 'RECORDING-06',
    tamper: says(at('GET', '/api/v2/sessions/*'), { recordingUrl: elsewhere }),
  },
  {
    ...reference,
    id: 'recording-kept-missing',
    breaks: 'A session with keepAlive true never shows a recording.',
    only: ['V3-CREATE-11', 'V3-CREATE-18'],
    target: 'V3-CREATE-11',
    tamper: whileKept((record) => ({ ...record, recordingUrls: [] })),
  },
];
