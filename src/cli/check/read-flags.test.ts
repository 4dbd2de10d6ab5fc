import { describe, expect, it } from 'vitest';
import { readOutputs } from './outputs.ts';
import { readRunOptions } from './read-flags.ts';

const given = { apiKey: 'svc_key' };
const url = 'http://127.0.0.1:1';

describe('the flags of a run', () => {
  it.each([
    ['maxFailures', '0', '--max-failures 0'],
    ['maxFailures', '1.5', '--max-failures 1.5'],
    ['concurrency', '0', '--concurrency 0'],
    ['concurrency', '-1', '--concurrency -1'],
    ['seed', '1.5', '--seed 1.5'],
    ['maxDispatches', '0.5', '--max-dispatches 0.5'],
    ['statefulRuns', '-1', '--stateful-runs -1'],
    ['shard', '0/2', '--shard 0/2'],
    ['shard', '1', '--shard 1'],
    ['timeLimit', '600h', '--time-limit 600h'],
    ['timeout', '2147483648ms', '--timeout 2147483648ms'],
  ])('refuse --%s %s', (name, value, found) => {
    expect(() => readRunOptions(url, { ...given, [name]: value })).toThrow(found);
  });

  it.each([
    ['apiKey', 'svc_key\r', '--api-key'],
    ['apiKey', 'svc_k\u{1F511}', '--api-key'],
    ['otherApiKey', 'svc\nkey', '--other-api-key'],
  ])('refuse a key that no header can carry, and do not quote it: %s', (name, key, flag) => {
    const read = (): unknown => readRunOptions(url, { ...given, [name]: key });
    expect(read).toThrow('no header can carry');
    expect(read).toThrow(flag);
    expect(read).not.toThrow('svc_k');
  });

  it.each(['X Name: a', 'X-Name: a\nb', ': a', 'X-Name'])('refuse the header line %j', (line) => {
    expect(() => readRunOptions(url, { ...given, header: [line] })).toThrow('--header');
  });

  it('refuse a format of the report that is named twice, because only one file would be written', () => {
    expect(() => readOutputs('json=a.json,html=a.html,json=b.json')).toThrow('json twice');
    expect(readOutputs('terminal,json=a.json').files).toEqual({ json: 'a.json' });
  });

  it('refuse a file of two formats, because the second would replace the first', () => {
    expect(() => readOutputs('json=a.json,html=./a.json')).toThrow('./a.json for two formats');
  });

  it('accept the smallest count and the longest time', () => {
    const flags = { ...given, maxFailures: '1', concurrency: '1', seed: '0', timeLimit: '2147483647ms' };
    const options = { maxFailures: 1, concurrency: 1, seed: 0, timeLimitMs: 2_147_483_647 };
    expect(readRunOptions(url, flags)).toMatchObject(options);
  });
});
