import { describe, expect, it } from 'vitest';
import { alterations } from './signed-urls.ts';

describe('altered copies of a URL', () => {
  it('change one character of the path, or of one member of the query', () => {
    expect(alterations('https://a.example/files/1234567890?expires=77&signature=abcd')).toEqual([
      { part: 'path', address: 'https://a.example/files/1234577890?expires=77&signature=abcd' },
      { part: 'expires', address: 'https://a.example/files/1234567890?expires=78&signature=abcd' },
      { part: 'signature', address: 'https://a.example/files/1234567890?expires=77&signature=abad' },
    ]);
  });

  it('change a token in the path, not the file name behind it, which a server may ignore', () => {
    expect(alterations('https://a.example/up/91afee3d7cd9d68b/notes.txt')).toEqual([
      { part: 'path', address: 'https://a.example/up/91afee3d8cd9d68b/notes.txt' },
    ]);
  });

  it('do not exist for a text that is no URL', () => {
    expect(alterations('notes.txt')).toEqual([]);
  });
});
