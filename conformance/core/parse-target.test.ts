import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { SuiteError } from './suite-error.ts';
import { defaultTarget } from './default-target.ts';
import { parseTarget } from './parse-target.ts';
import { targetSchema } from './target-schema.ts';
import { targetTemplate } from './target-template.ts';

const url = 'https://api.example.com';

describe('a target', () => {
  it('has the defaults without a file', () => {
    expect(parseTarget({ url })).toEqual({ ...defaultTarget, url });
  });

  it('has the defaults with the file that svc init writes', () => {
    expect(parseTarget({ url, text: targetTemplate })).toEqual({ ...defaultTarget, url });
  });

  it('looks more often at a target on this machine, unless the file says how often', () => {
    const local = 'http://127.0.0.1:8080';
    expect(parseTarget({ url: local }).polling).toEqual({ ...defaultTarget.polling, intervalMs: 100 });
    expect(parseTarget({ url: local, text: 'polling: { intervalMs: 700 }' }).polling.intervalMs).toBe(700);
  });

  it('takes the address with or without a generation', () => {
    expect(parseTarget({ url: `${url}/api/v3/` }).url).toBe(url);
  });

  it('replaces an operation as a whole, so that no body of the default is left', () => {
    const { v2 } = parseTarget({ url, text: 'v2: { stopTask: { method: DELETE, path: "/tasks/{id}" } }' });
    expect(v2?.stopTask).toEqual({ method: 'DELETE', path: '/tasks/{id}' });
  });

  it('keeps the other members of a generation', () => {
    const { v3 } = parseTarget({ url, text: 'v3: { stop: null }' });
    expect(v3).toEqual({ ...defaultTarget.v3, stop: null });
  });

  it('offers no generation that is null', () => {
    expect(parseTarget({ url, text: 'v4: null' }).v4).toBeNull();
  });

  it('keeps the other members of the standalone browsers, and replaces a list of words as a whole', () => {
    const { v4 } = parseTarget({ url, text: 'v4: { browsers: { get: null, ended: [gone] } }' });
    expect(v4).toEqual({
      ...defaultTarget.v4,
      browsers: { ...defaultTarget.v4?.browsers, get: null, ended: ['gone'] },
    });
  });

  it('has no standalone browsers when they are null', () => {
    expect(parseTarget({ url, text: 'v4: { browsers: null }' }).v4).toEqual({ ...defaultTarget.v4, browsers: null });
  });

  it.each([
    ['an unknown member', 'v3: { followup: null }', 'v3 has the unknown member "followup" (did you mean "followUp"?)'],
    ['a wrong type', 'stateless: perhaps', 'stateless must be boolean'],
    [
      'a base that would change the host',
      'v3: { base: .elsewhere.example }',
      'v3.base must match pattern "^(?:/|https?://)"',
    ],
    [
      'a path that would change the base',
      'v3: { stop: { method: POST, path: s/x } }',
      'v3.stop.path must match pattern "^/"',
    ],
    ['a header that no request can carry', 'keyHeader: "X-Key: 1"', 'keyHeader must match pattern'],
    ['an incomplete operation', 'v3: { stop: { method: POST } }', "v3.stop must have required property 'path'"],
  ])('refuses %s and says what is expected', (_name, text, message) => {
    expect(() => parseTarget({ url, text })).toThrow(SuiteError);
    expect(() => parseTarget({ url, text })).toThrow(message);
  });

  it.each(['api.example.com', 'ftp://api.example.com', ''])('refuses the address "%s"', (address) => {
    expect(() => parseTarget({ url: address })).toThrow(SuiteError);
  });

  it.each([
    ['a query', `${url}?key=1`, 'a query or a fragment'],
    ['a fragment', `${url}/#top`, 'a query or a fragment'],
    ['a password', 'https://ann:hunter2@api.example.com', 'a name or a password'],
  ])('refuses an address with %s, and repeats no password', (_name, address, message) => {
    expect(() => parseTarget({ url: address })).toThrow(message);
    expect(() => parseTarget({ url: address })).not.toThrow('hunter2');
  });

  it('takes an address with a path', () => {
    expect(parseTarget({ url: `${url}/svc/api/v4` }).url).toBe(`${url}/svc`);
  });
});

it('is read by a schema that is one', () => {
  const ajv = new Ajv2020({ allErrors: true });
  expect([ajv.validateSchema(targetSchema(operations)), ajv.errors]).toEqual([true, null]);
});
