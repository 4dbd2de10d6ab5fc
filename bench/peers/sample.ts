import type { RuleBook } from '#contract/rule-book.ts';
import type { Mutant, Given, Seen, Tamper } from '../../test/mutants/mutant.ts';
import { answerMutants } from '../../test/mutants/table/answers.ts';
import { authenticationMutants } from '../../test/mutants/table/authentication.ts';
import { inputMutants } from '../../test/mutants/table/inputs.ts';
import { interfaceMutants } from '../../test/mutants/table/interface.ts';
import { lifecycleMutants } from '../../test/mutants/table/lifecycle.ts';
import { matrixMutants } from '../../test/mutants/table/matrices.ts';
import { profileMutants } from '../../test/mutants/table/profiles.ts';
import { recordMutants } from '../../test/mutants/table/records.ts';
import { tenancyMutants } from '../../test/mutants/table/tenancy.ts';
import { textMutants } from '../../test/mutants/table/texts.ts';
import { v2ViewMutants } from '../../test/mutants/table/v2-interface.ts';
import { v3MessageMutants } from '../../test/mutants/table/v3-interface.ts';
import { v4EventPageMutants, v4ViewMutants } from '../../test/mutants/table/v4-interface.ts';
import { workspaceMutants } from '../../test/mutants/table/workspaces.ts';
import { isJsonObject } from '#lib/json.ts';

/** Response of a crashed handler. */
const fallen: Partial<Given> = { status: 500, body: { detail: 'Internal Server Error' } };
/** Servers that respond with 500 to inputs for which the contract defines another response. */
const crashMutants: readonly Broken[] = [
  {
    id: 'crash-v3-null-model',
    breaks: 'V3 answers 500 where model is null.',
    tamper: falls('POST', /\/api\/v3\/sessions$/, ({ body }) => isJsonObject(body) && body['model'] === null),
  },
  {
    id: 'crash-v3-malformed-id',
    breaks: 'V3 answers 500 where the id of a session is malformed.',
    tamper: falls('GET', /\/api\/v3\/sessions\/(?![0-9a-f]{8}-)[^/]+$/, () => true),
  },
  {
    id: 'crash-v3-page-zero',
    breaks: 'V3 answers 500 to the page 0 of profiles.',
    tamper: falls('GET', /\/api\/v3\/profiles\?.*pageNumber=0\b/, () => true),
  },
  {
    id: 'crash-v4-body-list',
    breaks: 'V4 answers 500 where the body of a run is a list.',
    tamper: falls('POST', /\/api\/v4\/runs$/, ({ body }) => Array.isArray(body)),
  },
  {
    id: 'crash-v2-unknown-task',
    breaks: 'V2 answers 500 where a task does not exist.',
    tamper: {
      answer: ({ method, url }, { status }) =>
        method === 'GET' && /\/api\/v2\/tasks\//.test(url) && status === 404 ? fallen : undefined,
    },
  },
];

/** Generations of the service, each with its own document. */
export const generations = ['v2', 'v3', 'v4'] as const;

/** A generation of the service. */
export type Generation = (typeof generations)[number];

/** A server with one violation of the contract. */
export interface Broken {
  readonly id: string;
  readonly breaks: string;
  readonly rules?: ((rules: RuleBook) => RuleBook) | undefined;
  readonly tamper?: Mutant['tamper'];
}

/** A broken server of the sample. */
export interface Sampled extends Broken {
  /** Class of the server's fault. */
  readonly kind: string;
  /** Generation whose document describes the violation. */
  readonly generation: Generation;
}

/** Tables of broken servers by class of fault. */
const kinds: Readonly<Record<string, readonly Broken[]>> = {
  'shape and status': [...answerMutants, ...interfaceMutants, ...recordMutants].filter(isOfReference),
  crash: crashMutants,
  'input validation': [...inputMutants, ...matrixMutants].filter(isOfReference).filter(isSeenByAll),
  authentication: authenticationMutants.filter(isOfReference),
  'value semantics': [...profileMutants, ...workspaceMutants, ...v2ViewMutants, ...v4ViewMutants].filter(isOfReference),
  'life cycle': lifecycleMutants.filter(isOfReference),
  tenancy: tenancyMutants.filter(isOfReference),
  pagination: [...v3MessageMutants, ...v4EventPageMutants].filter(isOfReference),
  'texts of refusals': textMutants.filter(isOfReference),
};

/** Names of the classes of faults. */
export const classNames: readonly string[] = Object.keys(kinds);

/**
 * Selects `perKind` servers of each class, evenly spread over the tables of the class. The classes alternate in the
 * result, so that an interrupted measurement also has about as many servers of each class.
 */
export function drawSample(perKind: number): Sampled[] {
  return Array.from({ length: perKind }, (_, index) => index).flatMap((index) =>
    Object.entries(kinds).flatMap(([kind, mutants]) => {
      const mutant = mutants[Math.floor((index * mutants.length) / perKind)];
      return mutant === undefined ? [] : [{ ...mutant, kind, generation: getGeneration(mutant) }];
    }),
  );
}

/**
 * Returns whether a mutant can be applied to the reference. This holds for mutants of the reference, and for mutants of
 * the mock, which have the same effect on the reference.
 */
function isOfReference({ server }: Mutant): boolean {
  return server === 'reference' || server === 'mock';
}

/**
 * Returns false if a mutant violates a versioning requirement (`VER-…`), otherwise true. Such a mutant changes the
 * document that the server publishes, and the tools do not read this document.
 */
function isSeenByAll({ target }: Mutant): boolean {
  return !target.startsWith('VER-');
}

/**
 * Returns the generation that a mutant breaks: the generation that its id or description names. If they name none,
 * returns V4 if the description names runs, events or a browser, V2 for a tenancy mutant about tasks, and V3 for any
 * other mutant.
 */
function getGeneration({ id, breaks }: Broken): Generation {
  const named = /\bv[234]\b/i.exec(`${id} ${breaks}`)?.[0].toLowerCase();
  const generation = generations.find((version) => version === named);
  if (generation !== undefined) return generation;
  if (/\b(run|runs|event|events|browser)\b/.test(breaks)) return 'v4';
  return /\btasks?\b/.test(breaks) && id.startsWith('tenancy') ? 'v2' : 'v3';
}

function falls(method: string, path: RegExp, at: (seen: Seen) => boolean): Tamper {
  return { answer: (seen) => (seen.method === method && path.test(seen.url) && at(seen) ? fallen : undefined) };
}

/**
 * Returns a complaint with words in place of values that vary between runs: ids, URLs, times, and numbers of four or
 * more digits. Returns at most 300 characters.
 */
export function steady(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'UUID')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
    .replaceAll(/\b\d{4,}(\.\d+)?\b/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}
