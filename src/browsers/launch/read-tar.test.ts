import { describe, expect, test } from 'vitest';
import { readTar } from './bundled-chromium.ts';

function member(path: string, content: string, flag = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(flag, 156);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}
const end = Buffer.alloc(1024);

test('reads files and folders in order', () => {
  const archive = Buffer.concat([member('lib/', '', '5'), member('lib/a.so', 'x'.repeat(600)), member('b', ''), end]);
  const entries = readTar(archive).map(({ path, kind, content }) => ({ path, kind, size: content.length }));
  expect(entries).toEqual([
    { path: 'lib/', kind: 'folder', size: 0 },
    { path: 'lib/a.so', kind: 'file', size: 600 },
    { path: 'b', kind: 'file', size: 0 },
  ]);
});

describe('refuses', () => {
  test.each([
    { given: member('../outside', 'x'), want: 'leaves its folder' },
    { given: member('/etc/passwd', 'x'), want: 'leaves its folder' },
    { given: member('a/../../b', 'x'), want: 'leaves its folder' },
    { given: member('link', '', '2'), want: 'neither a file nor a folder' },
    { given: member('cut', 'x'.repeat(600)).subarray(0, 700), want: 'cut off' },
  ])('$want', ({ given, want }) => {
    expect(() => readTar(given)).toThrow(want);
  });
});
