import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type JudgedBrowser, createCdpPolicy } from './policy.ts';
import { readCommand } from './read-command.ts';

const table = defaultRules.cdpPolicy;
const policy = createCdpPolicy(table);
const browser: JudgedBrowser = {
  downloadFolder: '/own/downloads',
  allowsResizing: true,
  uploads: { findPath: (name) => (name === 'cv.pdf' ? '/own/uploads/cv.pdf' : null) },
};

function judge(method: string, params: JsonObject = {}, sessionId?: string): unknown {
  return policy.judge({ id: 1, method, params, ...(sessionId === undefined ? {} : { sessionId }) }, browser);
}

function passed(method: string, params: JsonObject): unknown {
  return { kind: 'pass', command: { id: 1, method, params } };
}

function nested(path: string, value: JsonValue): JsonObject {
  return path.split('.').reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value) as JsonObject;
}

function refused(text: string): unknown {
  return {
    kind: 'answer',
    detach: false,
    reply: { id: 1, error: { code: -32_000, message: expect.stringContaining(text) } },
  };
}

describe('a refused method', () => {
  const rows = table.methods.filter(({ action }) => action === 'refuse');
  test.each(rows)('$method says why', ({ method, why }) => {
    const name = method.replace('*', 'anything');
    expect(judge(name)).toEqual(refused(`${name} is refused: ${why}.`));
  });

  test('is refused on every session, and the answer is for that session', () => {
    expect(judge('SystemInfo.getInfo', {}, 'INNER')).toMatchObject({
      kind: 'answer',
      reply: { id: 1, sessionId: 'INNER' },
    });
  });
});

test.each(['Nobody.knows', 'NodeWorker.enable', 'toString.call', 'constructor.x', ''])(
  'a method of a domain that is not open is refused: %j',
  (method) => {
    expect(judge(method)).toEqual(refused('is not open'));
  },
);

test.each(['Page.enable', 'Runtime.evaluate', 'Target.setAutoAttach', 'Page.madeUpLater'])(
  'a method of an open domain is passed on: %s',
  (method) => {
    expect(judge(method, { a: 1 })).toEqual(passed(method, { a: 1 }));
  },
);

test('Browser.close is answered, and its client detached', () => {
  expect(judge('Browser.close', {}, 'INNER')).toEqual({
    kind: 'answer',
    detach: true,
    reply: { id: 1, result: {}, sessionId: 'INNER' },
  });
});

test('a resize is passed on where the browser allows it, and answered without effect elsewhere', () => {
  const command = { id: 1, method: 'Browser.setWindowBounds', params: { windowId: 1, bounds: { width: 900 } } };
  expect(policy.judge(command, browser)).toEqual({ kind: 'pass', command });
  for (const method of ['Browser.setWindowBounds', 'Browser.setContentsSize'])
    expect(policy.judge({ ...command, method }, { ...browser, allowsResizing: false })).toEqual({
      kind: 'answer',
      detach: false,
      reply: { id: 1, result: {} },
    });
  const emulation = { ...command, method: 'Emulation.setDeviceMetricsOverride' };
  expect(policy.judge(emulation, { ...browser, allowsResizing: false })).toMatchObject({ kind: 'pass' });
});

describe('members', () => {
  test('of a proxy are left out of a new context', () => {
    const given = {
      disposeOnDetach: true,
      proxyServer: 'direct://',
      proxyBypassList: '*',
      originsWithUniversalNetworkAccess: ['http://a'],
    };
    expect(judge('Target.createBrowserContext', given)).toEqual(
      passed('Target.createBrowserContext', { disposeOnDetach: true }),
    );
  });

  test('that would write a trace to the disk or in another form are left out', () => {
    const given = {
      transferMode: 'ReturnAsStream',
      perfettoConfig: 'AA==',
      tracingBackend: 'system',
      streamFormat: 'proto',
    };
    expect(judge('Tracing.start', given)).toEqual(passed('Tracing.start', { transferMode: 'ReturnAsStream' }));
  });

  test.each(['Browser.setDownloadBehavior', 'Page.setDownloadBehavior'])('name the own folder in %s', (method) => {
    expect(judge(method, { behavior: 'allow', downloadPath: '/etc/cron.d' })).toEqual(
      passed(method, { behavior: 'allow', downloadPath: '/own/downloads' }),
    );
    expect(judge(method, { behavior: 'deny' })).toEqual(passed(method, { behavior: 'deny' }));
  });

  test.each([
    ['DOM.setFileInputFiles', { files: ['/etc/passwd'] }],
    ['DOM.setFileInputFiles', { files: '/etc/passwd' }],
    ['Page.handleFileChooser', { action: 'accept', files: ['/etc/passwd'] }],
    ['Input.dispatchDragEvent', { type: 'drop', data: { items: [], files: ['/etc/passwd'] } }],
  ])('of %s that name files are refused', (method, params) => {
    expect(judge(method, params as JsonObject)).toEqual(refused('paths would name files'));
  });

  test('of DOM.setFileInputFiles that name uploads of the browser get their paths', () => {
    const ask = (files: JsonObject['files']) =>
      policy.judge(
        { id: 1, method: 'DOM.setFileInputFiles', params: { files: files ?? null, objectId: '1' } },
        browser,
      );
    const path = { files: ['/own/uploads/cv.pdf'], objectId: '1' };
    for (const given of ['cv.pdf', '/home/me/cv.pdf', 'C:\\me\\cv.pdf', '../cv.pdf'])
      expect(ask([given])).toEqual(passed('DOM.setFileInputFiles', path));
    const others = [
      ['cv.pdf', '/etc/passwd'],
      ['/own/uploads/other'],
      ['cv.pdf/'],
      [''],
      [null],
      [['cv.pdf']],
      'cv.pdf',
      { a: 1 },
    ];
    for (const given of others) expect(ask(given)).toEqual(refused('paths would name files'));
  });

  test.each([
    ['DOM.setFileInputFiles', { files: [], objectId: '1' }],
    ['Input.dispatchDragEvent', { type: 'drop', data: { items: [], dragOperationsMask: 1 } }],
    ['Input.dispatchDragEvent', { type: 'drop', data: 'odd' }],
  ])('of %s without files are passed on', (method, params) => {
    expect(judge(method, params as JsonObject)).toEqual(passed(method, params as JsonObject));
  });
});

describe('addresses', () => {
  const methods = table.methods.filter(({ action }) => action === 'address').map(({ method }) => method);
  const closed = [
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    ' \tfi\nle:///etc/passwd',
    '\u0000file:///etc/passwd',
    'chrome://version',
    'chrome-untrusted://terminal',
    'devtools://devtools/bundled/inspector.html',
    'view-source:http://a.test/',
    'about:version',
    'about:srcdoc',
    'javascript:1',
    'filesystem:http://a.test/x',
    'blob-x:1',
    'ftp://a.test/',
    'ws://a.test/',
    'content://x',
  ];
  const open: readonly [string, string][] = [
    ['http://a.test', 'http://a.test/'],
    ['HTTPS://A.test/x?y#z', 'https://a.test/x?y#z'],
    ['about:blank', 'about:blank'],
    ['about:blank#x', 'about:blank#x'],
    ['data:text/html,<b>x', 'data:text/html,<b>x'],
    ['blob:http://a.test/1', 'blob:http://a.test/1'],
    ['', ''],
  ];

  test.each(methods)('of %s have to be of an open scheme', (method) => {
    for (const url of closed) expect(judge(method, { url })).toEqual(refused('can be opened'));
    for (const url of [7, null, ['http://a.test/']]) expect(judge(method, { url })).toEqual(refused('can be opened'));
    for (const [url, written] of open) expect(judge(method, { url })).toEqual(passed(method, { url: written }));
    expect(judge(method, { other: 1 })).toEqual(passed(method, { other: 1 }));
  });

  test('that are malformed are answered as Chromium answers them', () => {
    expect(judge('Page.navigate', { url: 'foo' })).toEqual(refused('Cannot navigate to invalid URL'));
  });
});

describe('a range', () => {
  test.each(table.methods.filter(({ action }) => action === 'range'))(
    'of $method: $members is kept',
    ({ method, members = [], min = Number.NaN, max = Number.NaN, why }) => {
      for (const member of members) {
        for (const value of [min, max])
          expect(judge(method, nested(member, value))).toEqual(passed(method, nested(member, value)));
        for (const value of [min - 1, max + 1, 1e300, -1e300, null, '5', [1], {}])
          expect(judge(method, nested(member, value))).toEqual(refused(`${method} is refused: ${why}.`));
      }
      expect(judge(method, { other: 1e300 })).toEqual(passed(method, { other: 1e300 }));
    },
  );

  test('and another row of the same method are both applied', () => {
    expect(judge('Target.createTarget', { url: 'http://a.test', width: 1e8 })).toEqual(refused('far off any screen'));
    expect(judge('Target.createTarget', { url: 'file:///etc/passwd', width: 1 })).toEqual(refused('can be opened'));
    expect(judge('Target.createTarget', { url: 'http://a.test', width: 1 })).toEqual(
      passed('Target.createTarget', { url: 'http://a.test/', width: 1 }),
    );
  });
});

const limits = { nestingMax: 200, commandBytesMax: 1_048_576, commandValuesMax: 100_000 };

test('params may have so many levels and no more, however many there are', () => {
  const rules = { table, limits };
  const text = (levels: number): string =>
    `{"id":1,"method":"a.b","params":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  expect(readCommand(Buffer.from(text(200)), rules)).toHaveProperty('command');
  const tooDeep = { error: { id: 1, error: { code: -32_602, message: 'Expected params of at most 200 levels' } } };
  for (const levels of [201, 1_000_000]) expect(readCommand(Buffer.from(text(levels)), rules)).toEqual(tooDeep);
  const wide = `{"id":1,"method":"a.b","params":{"a":[0,${'['.repeat(1_000)}${']'.repeat(1_000)}]}}`;
  expect(readCommand(Buffer.from(wide), rules)).toEqual(tooDeep);
});

test('a command is read without members that the protocol does not have, and params may be missing', () => {
  expect(readCommand(Buffer.from('{"id":1,"method":"a.b","extra":1,"__proto__":{"x":1}}'), { table, limits })).toEqual({
    command: { id: 1, method: 'a.b', params: {} },
  });
});
