import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMessageEvent, messageId } from './messages.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const seed = 20_261_121;

test('converts a message id back to its event for its own session only', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.integer({ min: 1, max: 2 ** 48 - 1 }), (session, other, event) => {
      const id = messageId(session, event);
      expect(id).toMatch(uuid);
      expect(messageId(session, event)).toBe(id);
      expect(parseMessageEvent(session, id.toUpperCase())).toBe(event);
      if (other !== session) expect(parseMessageEvent(other, id)).toBeNull();
    }),
    { seed },
  );
});

test('rejects other UUIDs and texts as message ids', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.oneof(fc.uuid(), fc.string()), (session, id) => {
      expect(parseMessageEvent(session, id)).toBeNull();
    }),
    { seed },
  );
});
