import { describe, expect, it } from 'vitest';
import { legalBrowserChoices } from './legal-browser-choices.ts';
import { legalChoices } from './legal-choices.ts';
import { judge } from './run-mutant.ts';

describe('a choice that the contract leaves open is no violation', () => {
  it.each([...legalChoices, ...legalBrowserChoices])(
    '$name',
    async ({ server = 'reference', only, tamper, targetFile }) => {
      const { report, failing, errors, hasChanged } = await judge({
        server,
        isLegal: true,
        only: [...only],
        ...(tamper === undefined ? {} : { tamper }),
        ...(targetFile === undefined ? {} : { targetFile }),
      });
      expect(hasChanged).toBe(true);
      expect([...failing, ...errors]).toEqual([]);
      expect(report.left).toEqual([]);
    },
  );
});
