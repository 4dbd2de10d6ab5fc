import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressed, getRawMessage } from './raw-message.ts';

const session = '0123456789ABCDEF0123456789ABCDEF';
const tail = `,"sessionId":"${session}"}`;
const seed = 20_261_122;

function getRaw(text: string): ReturnType<typeof getRawMessage> {
  return getRawMessage(Buffer.from(text), false);
}

/** Random JSON values for messages, including texts that look like the beginning or end of a message. */
const values = fc.oneof(
  fc.json(),
  fc.constantFrom(tail, `x${tail}`, '{"id":7,', '{"method":"Page.a",').map((text) => JSON.stringify({ text })),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify([text, { [text]: text, sessionId: text, id: 1 }])),
);
const ids = fc.nat({ max: 2 ** 31 });

const replies = fc.record({ value: values, kind: fc.constantFrom('result', 'error'), ours: ids });
const owners = fc.record({ isRoot: fc.boolean(), isOwn: fc.boolean() });

test('a reply gets the id of its client and nothing else changes, whatever is in it', () => {
  fc.assert(
    fc.property(replies, ids, owners, ({ value, kind, ours }, id, { isRoot, isOwn }) => {
      const raw = getRawMessage(Buffer.from(`{"id":${ours},"${kind}":${value}${tail}`), isOwn);
      expect(raw).toMatchObject({ id: ours, sessionId: session });
      const want = `{"id":${id},"${kind}":${value}${isRoot ? '}' : tail}`;
      expect(raw === null ? '' : String(addressed(raw, { id, isRoot }))).toBe(String(Buffer.from(want)));
    }),
    { seed },
  );
});

test('an event stays as it is, but has no session where that is the root of its client', () => {
  fc.assert(
    fc.property(values, owners, (value, { isRoot, isOwn }) => {
      const start = `{"method":"Network.requestWillBeSent","params":${value}`;
      const raw = getRawMessage(Buffer.from(start + tail), isOwn);
      expect(raw).toMatchObject({ id: null, sessionId: session });
      const want = Buffer.from(start + (isRoot ? '}' : tail));
      expect(raw === null ? null : addressed(raw, { id: null, isRoot })).toEqual(want);
    }),
    { seed },
  );
});

test('what the ends of a message say is what reading it says, for any message', () => {
  // An event has no id. All other members may come in any order.
  const [ofReply, ofEvent] = [
    ['id', 'result', 'error', 'sessionId', 'other'],
    ['method', 'params', 'sessionId', 'other'],
  ];
  const members = fc.oneof(fc.shuffledSubarray(ofReply), fc.shuffledSubarray(ofEvent));
  const methods = fc.constantFrom('Page.a', 'Target.attachedToTarget', 'Target.detachedFromTarget', tail);
  const sessions = fc.oneof(fc.constant(session), fc.string(), fc.constant(`x${tail}`));
  fc.assert(
    fc.property(
      members,
      fc.record({ value: values, method: methods, sessionId: sessions, id: ids }),
      (order, given) => {
        const { value, method, sessionId, id } = given;
        const texts: Record<string, string> = {
          id: String(id),
          method: JSON.stringify(method),
          sessionId: JSON.stringify(sessionId),
        };
        const text = `{${order.map((name) => `"${name}":${texts[name] ?? value}`).join(',')}}`;
        const read: unknown = JSON.parse(text);
        const raw = getRaw(text);
        if (raw === null) return;
        expect(read).toMatchObject({
          sessionId: raw.sessionId,
          ...(raw.id === null ? { method: 'Page.a' } : { id: raw.id }),
        });
      },
    ),
    { seed, numRuns: 2_000 },
  );
});

test.each([
  ['tells of targets', `{"method":"Target.attachedToTarget","params":{}${tail}`],
  ['is of no session', '{"id":7,"result":{}}'],
  ['ends in a text that looks like a session', JSON.stringify({ id: 7, result: { text: tail } })],
  ['ends in a member of something inside', `{"id":7,"result":{"a":1${tail}}`],
  ['has a session of another form', '{"id":7,"result":{},"sessionId":"S"}'],
  ['begins in another way', `{"result":{},"id":7${tail}`],
  ['has spaces', `{"id": 7,"result":{}${tail}`],
  ['has an id that is no whole number', `{"id":7e1,"result":{}${tail}`],
  ['is shorter than an end', '}'],
  ['is empty', ''],
])('a message that %s has to be read', (_what, text) => {
  expect(getRaw(text)).toBeNull();
});

test.each([
  ['is copied out of what came with it', false, true],
  ['stays where it has memory of its own', true, false],
])('what a client gets %s', (_what, isOwn, isCopy) => {
  const bytes = Buffer.from(`{"id":1234,"result":{}${tail}`);
  const raw = getRawMessage(bytes, isOwn);
  const got = raw === null ? null : addressed(raw, { id: 7, isRoot: false });
  const before = String(got);
  bytes.fill(0);
  expect(String(got) === before).toBe(isCopy);
});
