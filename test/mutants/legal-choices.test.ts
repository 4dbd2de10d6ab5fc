import { describe, expect, it } from 'vitest';
import { legalBrowserChoices } from './legal-browser-choices.ts';
import { legalChoices } from './legal-choices.ts';
import { judge } from './run-mutant.ts';

/** `npm test` judges every third choice, `npm run teeth` every choice. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';
const chosen = [...legalChoices, ...legalBrowserChoices].filter((_choice, index) => isWhole || index % 3 === 0);

describe('a choice that the contract leaves open is no violation', () => {
  it.each(chosen)('$name', async ({ server = 'reference', only, tamper, targetFile }) => {
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
  });
});
