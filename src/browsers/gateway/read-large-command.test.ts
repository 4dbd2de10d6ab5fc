import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cdpPolicy as table } from '#generated/rules.ts';
import { readCommand, readLargeCommand } from './read-command.ts';

const limits = { nestingMax: 200, commandBytesMax: 1_048_576, commandValuesMax: 100_000 };
const read = (text: string) => readLargeCommand(Buffer.from(text), { table, limits });

test('passes the params of a large command on unread', async () => {
  const params = `{"expression": "${'x"'.repeat(1_000_000).replaceAll('"', '\\"')}", "a": [1, {"b": null}]}`;
  const reading = await read(` {"sessionId":"S" , "params" : ${params} ,"id":7,"method":"Runtime.evaluate"} `);
  expect(reading).toMatchObject({ command: { id: 7, method: 'Runtime.evaluate', sessionId: 'S', params: {} } });
  const unread = 'command' in reading ? reading.command.unreadParams : undefined;
  expect(unread?.toString() === params).toBe(true);
});

test.each([
  ['a method with a rule of its own', '{"id":1,"method":"Page.navigate","params":{"url":"file:///a"}}', -32_602],
  ['a method whose params the service follows', '{"id":1,"method":"Target.setAutoAttach","params":{}}', -32_602],
  ['another spelling of a method', String.raw`{"id":1,"method":"Page.n\u0061vigate","params":{}}`, -32_602],
  ['params that are no object', '{"id":1,"method":"Runtime.evaluate","params":[]}', -32_602],
  ['no params', '{"id":1,"method":"Runtime.evaluate"}', -32_602],
  ['no id', '{"method":"Runtime.evaluate","params":{}}', -32_600],
  ['a session that is no text', '{"id":1,"method":"Runtime.evaluate","params":{},"sessionId":1}', -32_600],
  ['a comment', '{"id":1,"method":"Runtime.evaluate","params":{"a":/*"*/1},"method":"Browser.close"/*"*/}', -32_700],
  ['a second value in the params', '{"id":1,"method":"Runtime.evaluate","params":{}:{}}', -32_700],
  ['a bracket that another one closes', '{"id":1,"method":"Runtime.evaluate","params":{"a":[}]}', -32_700],
  ['two objects', '{"id":1,"method":"Runtime.evaluate","params":{}}{"id":2}', -32_700],
  ['a text that does not end', '{"id":1,"method":"Runtime.evaluate","params":{"a":"', -32_700],
  ['a line end in a text', '{"id":1,"method":"Runtime.evaluate","params":{"a":"\n"}}', -32_700],
  ['a list', '[1]', -32_700],
  ['201 levels', `{"id":1,"method":"Runtime.evaluate","params":${'{"a":'.repeat(201)}1${'}'.repeat(201)}}`, -32_602],
])('refuses %s', async (_what, text, code) => {
  expect(await read(text)).toMatchObject({ error: { error: { code } } });
});

test('refuses bytes that are not UTF-8', async () => {
  const bytes = Buffer.from('{"id":1,"method":"Runtime.evaluate","params":{"a":"\xff"}}', 'latin1');
  expect(await readLargeCommand(bytes, { table, limits })).toMatchObject({ error: { error: { code: -32_700 } } });
});

test('reads what a JSON parser reads', async () => {
  const commands = fc.record({
    id: fc.nat(),
    method: fc.constant('Runtime.evaluate'),
    params: fc.dictionary(fc.string(), fc.jsonValue()),
    sessionId: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(commands, fc.constantFrom(0, 1, 2), async (given, blanks) => {
      const text = JSON.stringify(given, undefined, blanks);
      const reading = await read(text);
      const { id, method, sessionId, params } = given;
      const unread = 'command' in reading ? JSON.parse(String(reading.command.unreadParams)) : null;
      expect(unread).toEqual(JSON.parse(JSON.stringify(params)));
      expect(reading).toMatchObject({ command: { id, method, sessionId } });
    }),
    { seed: 20_261_123, numRuns: 300 },
  );
});

test('names the id of a command of too many values, which is not parsed', () => {
  const text = `{"method":"a.b","params":{"a":[${'[],'.repeat(200_000)}1]},"id":7}`;
  expect(readCommand(Buffer.from(text), { table, limits })).toMatchObject({
    error: { id: 7, error: { code: -32_602 } },
  });
});
