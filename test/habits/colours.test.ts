import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { terminalStyle } from '../../src/cli/check/outputs.ts';

describe('colours', () => {
  const wasTerminal = process.stdout.isTTY;
  beforeEach(() => vi.stubEnv('NO_COLOR', ''));
  afterEach(() => {
    process.stdout.isTTY = wasTerminal;
    vi.unstubAllEnvs();
  });

  it.each([
    { terminal: true, noColor: '', colour: true },
    { terminal: true, noColor: '1', colour: false },
    { terminal: false, noColor: '', colour: false },
  ])('are $colour on a terminal ($terminal) with NO_COLOR="$noColor"', ({ terminal, noColor, colour }) => {
    process.stdout.isTTY = terminal;
    vi.stubEnv('NO_COLOR', noColor);
    expect(Boolean(terminalStyle().colour)).toBe(colour);
  });
});
