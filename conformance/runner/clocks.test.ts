import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..');
/** Calls whose results differ between a run and its playback: clocks, randomness, timers and `fetch`. */
const unrepeatable =
  /\bnew Date\(\)|\b(?:Date\.now|performance\.now|Math\.random|random(?:UUID|Bytes)|set(?:Timeout|Interval|Immediate)|fetch)\(/;

function linesWith(name: string, pattern: RegExp): string[] {
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(join(folder, name, file), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
        .map((line) => `${name}/${file}: ${line.trim()}`),
    );
}

describe('what judges', () => {
  it.each(['areas', 'properties'])('depends on the seed, the target and its answers alone: %s', (name) => {
    expect(linesWith(name, unrepeatable)).toEqual([]);
  });

  it('sees what the rule forbids', () => {
    expect(linesWith('transport', unrepeatable).join('\n')).toContain('transport/run-environment.ts');
  });
});
