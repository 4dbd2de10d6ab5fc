import { expect, it } from 'vitest';
import { parts, systemPart } from './system-part.ts';

it('a part that is missing is named with its package', () => {
  expect(() => systemPart(parts.chromedriver, { CHROMEDRIVER_PATH: '/nowhere/chromedriver' })).toThrow(
    'Found no program at /nowhere/chromedriver. Expected one of the package chromium-driver. Next: apt-get install chromium-driver, or set CHROMEDRIVER_PATH.',
  );
});
