import { randomUUID } from 'node:crypto';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen } from '../mutant.ts';
import { at, readBody, isAt, queries, rows, says, told, turns, wants } from '../operation-tampers.ts';
import { refuses } from '../tampers.ts';

const attachments = { server: 'reference', only: ['v4-attachments'] } as const;
const members = { server: 'reference', only: ['v4-run-members'] } as const;
const [createRun, getRun] = [at('POST', '/api/v4/runs'), at('GET', '/api/v4/runs/*')];
const list = at('GET', '/api/v4/runs/*/attachments');
const events = at('GET', '/api/v4/runs/*/events');
const send = at('POST', '/api/v4/sessions/*/queue');
const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
const atMost20 = ({ attachedFileIds }: JsonObject): JsonObject =>
  Array.isArray(attachedFileIds) ? { attachedFileIds: attachedFileIds.slice(0, 20) } : {};
/** Returns whether a request creates a V4 run with three attached files. */
const namesThree = (seen: Seen): boolean => {
  const { attachedFileIds } = isAt(createRun, seen) ? readBody(seen) : {};
  return Array.isArray(attachedFileIds) && attachedFileIds.length === 3;
};
const continues = (seen: Seen): boolean => 'sessionId' in readBody(seen) && 'workspaceId' in readBody(seen);

/** Servers whose attachments of V4 runs are wrong. */
export const attachmentMutants: readonly Mutant[] = [
  {
    ...attachments,
    id: 'attachment-uploaded-at-once',
    breaks: 'An attachment has the status uploaded before its bytes arrive.',
    target: 'V4-ATTACH-01',
    tamper: rows(list, 'attachments', (items) => items.map((item) => ({ ...item, status: 'uploaded' }))),
  },
  {
    ...attachments,
    id: 'attachment-pending-for-good',
    breaks: 'An attachment stays pending.',
    target: 'V4-ATTACH-01',
    tamper: rows(list, 'attachments', (items) => items.map((item) => ({ ...item, status: 'pending' }))),
  },
  {
    ...attachments,
    id: 'attachment-path',
    breaks: 'The name of an attachment is a path.',
    target: 'V4-ATTACH-01',
    tamper: rows(list, 'attachments', (items) =>
      items.map((item) => ({ ...item, name: `uploads/${String(item['name'])}` })),
    ),
  },
  {
    ...attachments,
    id: 'attachments-reversed',
    breaks: 'Attachments are listed in reverse order.',
    target: 'V4-ATTACH-02',
    tamper: rows(list, 'attachments', (items) => items.toReversed()),
  },
  {
    ...attachments,
    id: 'attachment-missing-404',
    breaks: 'A V4 run with an unknown file id is refused.',
    target: 'V4-ATTACH-03',
    tamper: {
      // No run is created, because the good server refuses an empty request.
      request: (seen) => (namesThree(seen) ? { body: {} } : undefined),
      answer: (seen) => (namesThree(seen) ? { status: 404, body: { detail: 'File not found' } } : undefined),
    },
  },
  {
    ...attachments,
    id: 'attachment-missing-silent',
    breaks: 'The response does not list the unknown file ids.',
    target: 'V4-ATTACH-03',
    mayAlso: ['V4-ATTACH-07'],
    tamper: says(createRun, { missingFileIds: [] }),
  },
  {
    ...attachments,
    id: 'attachments-inherited',
    breaks: 'The next run of a session has attachments that its request does not contain.',
    target: 'V4-ATTACH-04',
    tamper: told(getRun, (body) =>
      isEmpty(body['attachedFileIds']) ? { ...body, attachedFileIds: [randomUUID()] } : body,
    ),
  },
  {
    ...attachments,
    id: 'attachments-listed-again',
    breaks: 'The attachments of the next run include an attachment of the previous run.',
    target: 'V4-ATTACH-04',
    tamper: rows(list, 'attachments', (items) => (items.length === 0 ? [{ id: randomUUID() }] : items)),
  },
  {
    ...attachments,
    id: 'attachment-not-found',
    breaks: 'A run cannot read its attached file.',
    target: 'V4-ATTACH-05',
    tamper: says(getRun, { result: 'There is no such file.' }),
  },
  {
    ...attachments,
    id: 'attachment-first-line',
    breaks: 'The result of a run ends with its first line.',
    target: 'V4-ATTACH-05',
    tamper: told(getRun, (body) => ({ ...body, result: String(body['result'] ?? '').split('\n')[0] ?? '' })),
  },
  {
    ...attachments,
    id: 'attachments-unknown-403',
    breaks: 'The attachments of an unknown run are refused with 403.',
    target: 'V4-ATTACH-06',
    tamper: turns(list, 404, { status: 403 }),
  },
  {
    ...attachments,
    id: 'attachments-cut',
    breaks: 'Attached files of a run after the twentieth are dropped.',
    target: 'V4-ATTACH-07',
    tamper: wants(createRun, atMost20),
  },
  {
    ...attachments,
    id: 'attachments-nineteen',
    breaks: 'A V4 run accepts at most nineteen attached files.',
    target: 'V4-ATTACH-07',
    mayAlso: ['V4-ATTACH-04'],
    tamper: refuses(
      '/api/v4/runs',
      ({ attachedFileIds }) => Array.isArray(attachedFileIds) && attachedFileIds.length > 19,
    ),
  },
  {
    ...attachments,
    id: 'attachments-message-cut',
    breaks: 'Attached files of a message after the twentieth are dropped.',
    target: 'V4-ATTACH-08',
    tamper: wants(send, atMost20),
  },
];

/** Servers that ignore or alter members of a V4 run request. */
export const runMemberMutants: readonly Mutant[] = [
  {
    ...members,
    id: 'run-another-workspace',
    breaks: 'A V4 run shows another workspace than its request contains.',
    target: 'V4-MEMBER-01',
    tamper: says(getRun, { workspaceId: randomUUID() }),
  },
  {
    ...members,
    id: 'run-elsewhere-409',
    breaks: 'A V4 run that continues a session in another workspace is refused with 409.',
    target: 'V4-MEMBER-02',
    tamper: turns(createRun, 400, { status: 409 }),
  },
  {
    ...members,
    id: 'run-elsewhere-taken',
    breaks: 'A V4 run that continues a session ignores its workspaceId.',
    target: 'V4-MEMBER-02',
    tamper: wants(at('POST', '/api/v4/runs', continues), () => ({ workspaceId: undefined })),
  },
  {
    ...members,
    id: 'run-workspace-unknown-422',
    breaks: 'A V4 run for an unknown workspace is refused with 422.',
    target: 'V4-MEMBER-03',
    tamper: turns(createRun, 404, { status: 422 }),
  },
  {
    ...members,
    id: 'run-output-text',
    breaks: 'output of a V4 run is its value serialized as a string.',
    target: 'V4-MEMBER-04',
    tamper: told(getRun, (body) =>
      isJsonObject(body['output']) ? { ...body, output: JSON.stringify(body['output']) } : body,
    ),
  },
  {
    ...members,
    id: 'run-schema-hidden',
    breaks: 'A V4 run does not show its outputSchema.',
    target: 'V4-MEMBER-04',
    tamper: says(getRun, { outputSchema: null }),
  },
  {
    ...members,
    id: 'run-output-unasked',
    breaks: 'A V4 run without outputSchema has an output.',
    target: 'V4-MEMBER-05',
    tamper: told(getRun, (body) => (body['output'] === null ? { ...body, output: body['result'] ?? '' } : body)),
  },
  {
    ...members,
    id: 'run-message-open',
    breaks: 'A message accepts undocumented members.',
    target: 'V4-MEMBER-06',
    tamper: wants(send, () => ({ svcCheckUnknown: undefined })),
  },
  {
    ...members,
    id: 'run-judge-cut',
    breaks: "A judge's context above the maximum length is truncated.",
    target: 'V4-MEMBER-07',
    tamper: wants(createRun, ({ judge }) =>
      isJsonObject(judge) ? { judge: { ...judge, ...(judge['context'] === undefined ? {} : { context: 'cut' }) } } : {},
    ),
  },
  {
    ...members,
    id: 'run-proxy-port',
    breaks: 'A V4 run accepts a proxy with an invalid port.',
    target: 'V4-MEMBER-07',
    tamper: wants(createRun, ({ browserSettings }) => {
      const proxy = isJsonObject(browserSettings) ? browserSettings['customProxy'] : undefined;
      return isJsonObject(proxy) && Number(proxy['port']) > 65_535
        ? { browserSettings: { customProxy: { ...proxy, port: 65_535 } } }
        : {};
    }),
  },
  {
    ...members,
    id: 'run-no-judge',
    breaks: 'A V4 run refuses a judge without context.',
    target: 'V4-MEMBER-08',
    tamper: refuses('/api/v4/runs', ({ judge }) => isJsonObject(judge) && !('context' in judge)),
  },
  {
    ...members,
    id: 'run-judgement-text',
    breaks: 'judgement of a V4 run is a string.',
    target: 'V4-MEMBER-08',
    tamper: says(getRun, { judgement: 'good' }),
  },
  {
    ...members,
    id: 'run-events-whole',
    breaks: 'The events ignore include_output.',
    target: 'V4-MEMBER-09',
    tamper: queries(events, 'include_output', () => undefined),
  },
  {
    ...members,
    id: 'run-events-fewer',
    breaks: 'The events without output omit the last event.',
    target: 'V4-MEMBER-09',
    tamper: rows(
      at('GET', '/api/v4/runs/*/events', ({ url }) => url.includes('include_output=false')),
      'events',
      (items) => items.slice(0, -1),
    ),
  },
  {
    server: 'reference',
    only: ['EVT-17'],
    id: 'run-files-untold',
    breaks: 'No event of a V4 run contains the name of the file that the run writes.',
    target: 'EVT-17',
    tamper: rows(events, 'events', (items) => items.filter(({ type }) => type !== 'artifact.created')),
  },
];

/** Conforming variants, for which no check may fail. */
export const legalRunDesk: readonly Omit<Mutant, 'target'>[] = [
  {
    server: 'reference',
    only: ['v4-attachments', 'v4-run-members'],
    id: 'run-legal-desk',
    breaks:
      'A V4 run without attachments has an empty list of attachments, and records have additional members and a judgement.',
    tamper: told(getRun, (body) => ({
      ...body,
      later: 1,
      judgement: { verdict: true },
      ...(body['attachedFileIds'] === null ? { attachedFileIds: [] } : {}),
    })),
  },
];
