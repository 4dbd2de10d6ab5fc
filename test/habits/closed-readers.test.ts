import { EventEmitter, once } from 'node:events';
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ignoreClosedOutput } from '../../src/cli/process-end.ts';

/**
 * Runs `svc` and closes its output after the first chunk, like `svc ... | head -1`. Returns its exit code and error
 * output.
 */
async function readFirst(...words: readonly string[]): Promise<{ code: unknown; err: string }> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.once('data', () => child.stdout.destroy());
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code]: unknown[] = await once(child, 'close');
  return { code, err };
}

it.each(['list', 'spec print v4', '--help'])('svc %s ends as usual when the reader closes early', async (words) => {
  expect(await readFirst(...words.split(' '))).toEqual({ code: 0, err: '' });
});

describe('a stream with a reader', () => {
  const fault = (code: string): Error => Object.assign(new Error(`write ${code}`), { code });

  it('may lose its reader, and not its disk', () => {
    const stream = new EventEmitter();
    ignoreClosedOutput(stream, 1_000_000);
    expect(() => stream.emit('error', fault('EPIPE'))).not.toThrow();
    expect(() => stream.emit('error', fault('ENOSPC'))).toThrow('write ENOSPC');
    // An EIO of a file is a fault of the disk.
    expect(() => stream.emit('error', fault('EIO'))).toThrow('write EIO');
  });
});
