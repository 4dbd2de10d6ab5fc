import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo, countDispatches, readScript, simpler, writeScript } from './script.ts';
import { sessionMachine } from './machines.ts';

const { dispatching, themes } = sessionMachine;

describe('a script', () => {
  it('is read again as it was written', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(themes)), (script) => {
        expect(readScript(writeScript(script))).toEqual(script);
      }),
    );
  });

  it.each<[string, string, number]>([
    ['the creation', 'kept,wait,stop', 1],
    ['every follow-up, whatever its level', 'kept,follow,follow:null,follow:value', 4],
    ['both of a race', 'kept,wait,follow:slow|follow:slow,stop|follow', 4],
  ])('is charged for %s', (_name, text, want) => {
    expect(countDispatches(readScript(text), dispatching)).toBe(want);
  });

  it('is cut before the first word that is not paid for', () => {
    const script = readScript('kept,wait,follow,wait,follow:slow|follow:slow,list');
    expect(writeScript(cutTo(script, 3, dispatching))).toBe('kept,wait,follow,wait');
    expect(cutTo(script, 0, dispatching)).toEqual([]);
    expect(cutTo(script, 4, dispatching)).toEqual(script);
  });

  it('is made simpler by its end, by a word, by a race and by a variant, and never costs more', () => {
    const script = readScript('kept:slow,wait,stop|follow,list');
    const texts = simpler(script, 2).map(writeScript);
    expect(texts[0]).toBe('kept:slow,wait,stop|follow');
    expect(texts).toContain('kept:slow,stop|follow,list');
    expect(texts).toContain('kept:slow,wait,stop,list');
    expect(texts).toContain('kept,wait,stop|follow,list');
    expect(texts.every((text) => countDispatches(readScript(text), dispatching) <= 2)).toBe(true);
  });

  it('keeps its beginning: nothing can be done to what was not made', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(themes)), (script) => {
        const begins = simpler(script, script.length).map(([begin = '']) => begin.split(':')[0]);
        expect(new Set(begins)).toEqual(new Set([script[0]?.split(':')[0]]));
      }),
    );
  });
});
