import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createVault } from './vault.ts';

const vault = createVault(randomBytes(32));

it('opens what it has sealed, for the same owner only', () => {
  const sealed = vault.seal('hunter2 ü', 'run 1');
  expect(sealed).not.toContain('hunter2');
  expect(vault.seal('hunter2 ü', 'run 1')).not.toBe(sealed);
  expect(vault.open(sealed, 'run 1')).toBe('hunter2 ü');
  expect(() => vault.open(sealed, 'run 2')).toThrow('unable to authenticate');
  expect(() => createVault(randomBytes(32)).open(sealed, 'run 1')).toThrow('unable to authenticate');
});

it('does not open what was changed', () => {
  const sealed = Buffer.from(vault.seal('hunter2', 'run 1'), 'base64url');
  for (const place of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect(() => vault.open(changed.toString('base64url'), 'run 1')).toThrow('unable to authenticate');
  }
});
