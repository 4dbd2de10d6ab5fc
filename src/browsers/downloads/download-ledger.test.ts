import { describe, expect, it } from 'vitest';
import { createDownloadLedger } from './watch-downloads.ts';

const rules = { fileBytesMax: 100, bytesMax: 150, filesMax: 3 };

describe('a ledger of downloads', () => {
  it('lets a file go on up to its bound, whether its size was declared or has come', () => {
    const ledger = createDownloadLedger(rules);
    expect(ledger.begin('a', 'a.txt')).toBe(true);
    expect(ledger.progress('a', 100, 0)).toBe(true);
    expect(ledger.progress('a', 101, 0)).toBe(false);
    ledger.drop('a');
    expect(ledger.begin('b', 'b.txt')).toBe(true);
    expect(ledger.progress('b', 0, 101)).toBe(false);
  });

  it('counts finished and pending files together', () => {
    const ledger = createDownloadLedger(rules);
    ledger.begin('a', 'a.txt');
    expect(ledger.finish('a', 80)).toBe(true);
    ledger.begin('b', 'b.txt');
    expect(ledger.progress('b', 70, 70)).toBe(true);
    ledger.begin('c', 'c.txt');
    expect(ledger.progress('c', 1, 0)).toBe(false);
    ledger.drop('c');
    expect(ledger.finish('b', 70)).toBe(true);
  });

  it('lets nothing that was refused stand in the way of others', () => {
    const ledger = createDownloadLedger(rules);
    ledger.begin('a', 'a.txt');
    expect(ledger.progress('a', 0, 1_000_000)).toBe(false);
    ledger.begin('b', 'b.txt');
    expect(ledger.progress('b', 0, 100)).toBe(true);
  });

  it('counts what a broken transfer left on the disk', () => {
    const ledger = createDownloadLedger(rules);
    ledger.begin('a', 'a.txt');
    ledger.progress('a', 90, 0);
    ledger.progress('a', 0, 0);
    ledger.begin('b', 'b.txt');
    expect(ledger.progress('b', 61, 0)).toBe(false);
  });

  it('lets so many files and no more', () => {
    const ledger = createDownloadLedger(rules);
    for (const id of ['a', 'b']) {
      ledger.begin(id, id);
      expect(ledger.finish(id, 0)).toBe(true);
    }
    expect([ledger.begin('c', 'c'), ledger.begin('d', 'd')]).toEqual([true, false]);
    ledger.drop('c');
    expect(ledger.begin('e', 'e')).toBe(true);
  });

  it('keeps nothing that was refused, is too large after all, or never began', () => {
    const ledger = createDownloadLedger(rules);
    ledger.begin('a', 'a');
    ledger.progress('a', 101, 0);
    expect([ledger.findName('a'), ledger.finish('a', 10)]).toEqual([null, false]);
    ledger.begin('b', 'b');
    expect([ledger.findName('b'), ledger.finish('b', 101)]).toEqual(['b', false]);
    expect([ledger.findName('c'), ledger.finish('c', 1), ledger.progress('c', 1, 1)]).toEqual([null, false, true]);
  });
});
