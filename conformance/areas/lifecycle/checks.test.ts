import { describe, expect, it } from 'vitest';
import { isLegalStep } from './checks.ts';

describe('a status change between two polls', () => {
  it.each([
    ['created', 'idle'],
    ['created', 'running'],
    ['created', 'stopped'],
    ['running', 'idle'],
    ['idle', 'running'],
    ['running', 'error'],
    ['idle', 'timed_out'],
    ['stopped', 'stopped'],
  ])('from %s to %s is legal', (from, to) => {
    expect(isLegalStep(from, to)).toBe(true);
  });

  it.each([
    ['idle', 'created'],
    ['running', 'created'],
    ['stopped', 'idle'],
    ['timed_out', 'stopped'],
    ['error', 'running'],
    ['created', 'starting'],
  ])('from %s to %s is a violation', (from, to) => {
    expect(isLegalStep(from, to)).toBe(false);
  });
});
