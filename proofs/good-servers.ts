import { legalChoices } from '../test/mutants/legal-choices.ts';
import type { Choice } from '../test/mutants/mutant.ts';
import { type LegalVariant, legalVariants } from '../test/mutants/legal-variants.ts';
import type { Judgeable } from '../test/mutants/run-mutant.ts';

/** A server without violations, and how often it is judged. */
export interface GoodServer {
  readonly id: string;
  readonly does: string;
  readonly judged: Judgeable;
  readonly seeds: number;
  /**
   * Ids of requirements about features that this server does not offer. A failure of one of these requirements is no
   * false alarm.
   */
  readonly promises: readonly string[];
  /**
   * Profile of the run: `documented` for a server that the contract allows and the companion may forbid. @defaultValue
   * `full`
   */
  readonly profile?: 'documented';
}

const variants = legalVariants.map((variant: LegalVariant) => ({
  id: variant.id,
  does: variant.does,
  judged: variant,
  seeds: 100,
  promises: variant.promises ?? [],
}));

/** Legal choices, judged by the contract alone, because the companion forbids some of them. */
const choices = legalChoices.map(
  ({ name, only: _only, promises = [], server = 'reference', ...choice }: Choice): GoodServer => ({
    id: `choice-${name.toLowerCase().replaceAll(/\W+/g, '-')}`,
    does: `A server with ${name}.`,
    judged: { ...choice, server, isLegal: true },
    seeds: 10,
    promises,
    profile: 'documented',
  }),
);

/**
 * All conforming servers: the reference with simulated browsers and a fast clock, its legal variants and choices,
 * and the reference with Chromium.
 */
export const goodServers: readonly GoodServer[] = [
  {
    id: 'reference',
    does: 'The reference with simulated browsers and the fast clock.',
    judged: { server: 'reference' },
    seeds: 1000,
    promises: [],
  },
  ...variants,
  ...choices,
  {
    id: 'chromium',
    does: 'The reference with real Chromium, judged by its standalone browsers with real clients.',
    judged: { server: 'chromium' },
    seeds: 10,
    promises: [],
  },
];
