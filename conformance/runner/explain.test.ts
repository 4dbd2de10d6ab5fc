import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explainClientRules } from '../clients/client-rules.ts';
import { registry, sourceText } from '../core/requirement.ts';
import { explain, listRequirements } from './explain.ts';

describe('an explained requirement', () => {
  it('shows the words of the contract below its summary', () => {
    expect(explain('V3-GET-05')).toContain(
      'generates a new `screenshotUrl`.\nContract: “Each fetch generates a new screenshotUrl.”\nSource: contract 4',
    );
    expect(explainClientRules('CLIENT-BROWSER-03')).toContain(
      'Contract: “Stopping ends billing for the browser and refunds unused browser time.”\nSource: contract 1',
    );
  });

  it('shows no words for a requirement from another source', () => {
    expect(explain('ACCOUNT-01')).not.toContain('Contract: ');
    expect(explainClientRules('CLIENT-POLL-01')).not.toContain('Contract: ');
  });

  it('names the file of a decision as its source', () => {
    expect(explain('PROFILE-08')).toContain('Source: docs/decisions/027-*.md (profiles)\n');
    const files = registry.flatMap((row) => [...sourceText(row).matchAll(/docs\/\S+/g)].map(([file]) => file));
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => globSync(file).length !== 1)).toEqual([]);
  });

  it('is listed with the words of the contract when its source is the contract, and only then', () => {
    const quoted = new Set(listRequirements().flatMap(({ id, quote }) => (quote === undefined ? [] : [id])));
    const ofContract = registry.filter(({ source }) => source.startsWith('contract '));
    expect([...quoted].toSorted()).toEqual(ofContract.map(({ id }) => id).toSorted());
    expect(quoted.size).toBeGreaterThan(200);
  });
});
