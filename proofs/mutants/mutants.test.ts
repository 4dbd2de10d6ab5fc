import { isDeepStrictEqual } from 'node:util';
import { defaultRules } from '#contract/rule-book.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Instrumented, instrumentCode } from './code-mutants.ts';
import { documentKeys } from './document-mutants.ts';
import { openJudge } from './judging.ts';
import { keywordChanges } from './schema-mutants.ts';
import type { Answer, Order } from './piece.ts';
import { classify, readSurvivors } from './survivors.ts';
import { tableMutants } from './table-mutants.ts';

const seed = 1;

/** One small file, so that the sample takes seconds; `npm run long -- mutants` takes all files. */
const file = 'src/contract/problems.ts';

/** Mutants of the file. */
const sample = [
  'ObjectLiteral `{ detail: problemDetails(found, rules) }` to `{}`',
  "ConditionalExpression `'details' in found` to `true`",
].map((change) => `${file}: ${change}`);

/**
 * Changes of a lifecycle transition, of a response schema and of two operations; `npm run long -- mutants` judges all
 * kinds.
 */
const documents = [
  'lifecycle.machines[0 session].transitions[4 running].to is timed_out',
  'v3 #/components/schemas/Session: required updatedAt',
  'answers v3 createSession: empty object',
  'answers v4 createRun: status 403',
];

describe('judging mutants', () => {
  let instrumented: Instrumented;
  let answers: Map<string, Answer>;

  beforeAll(async () => {
    instrumented = await instrumentCode([file]);
    await using judge = openJudge(instrumented.folder);
    const orders: (readonly [string, Order])[] = [
      ...documents.map(
        (key) => [key, { what: 'judge', piece: { key, kind: 'document', seed }, matrix: 'sample' }] as const,
      ),
      ...instrumented.mutants
        .filter(({ key }) => sample.includes(key))
        .map(
          ({ key, id }) => [key, { what: 'judge', piece: { key, id, kind: 'code', seed }, matrix: 'sample' }] as const,
        ),
      ['the unchanged reference', { what: 'control', seed }],
    ];
    answers = new Map();
    for (const [key, order] of orders) answers.set(key, await judge.ask(order));
  });

  it.each([...documents, ...sample])('catches %s', (key) => {
    expect(answers.get(key)).toMatchObject({ result: 'caught', hasChanged: true });
  });

  it('passes the unchanged reference after them', () => {
    expect(answers.get('the unchanged reference')).toMatchObject({ result: 'survived', hasStopped: true });
  });
});

describe('the list of mutants', () => {
  it('names each change of the documents once', () => {
    const keys = documentKeys();
    expect(keys.length).toBeGreaterThan(4000);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('changes the rules by every change of a table', () => {
    const idle = tableMutants().filter(
      (_mutant, at) => at % 100 === 0 && isDeepStrictEqual(_mutant.rules(), defaultRules),
    );
    expect(idle).toEqual([]);
  });

  it('names every mutant of the code once', async () => {
    const { mutants } = await instrumentCode([file]);
    expect(mutants.length).toBeGreaterThan(50);
    expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length);
  });

  it.each([
    { keyword: 'type string', schema: { type: 'string' }, given: 'text', want: 12_345 },
    { keyword: 'required id', schema: { required: ['id'] }, given: { id: 1, name: 2 }, want: { name: 2 } },
    { keyword: 'enum', schema: { enum: ['one'] }, given: 'one', want: 'one_x' },
    { keyword: 'format uuid', schema: { format: 'uuid' }, given: 'any', want: 'not of this form' },
    { keyword: 'minimum', schema: { minimum: 3 }, given: 7, want: 2 },
    { keyword: 'minimum', schema: { minimum: 3 }, given: null, want: null },
  ])('breaks $keyword of $given as $want', ({ keyword, schema, given, want }) => {
    const change = keywordChanges(schema).find((one) => one.keyword === keyword);
    expect(change?.change(given)).toEqual(want);
  });
});

describe('the classification of survivors', () => {
  it('has a reason in each row, and no mutant twice', () => {
    expect(readSurvivors().filter(({ reason }) => reason.length < 10)).toEqual([]);
  });

  it('prefers an exact key to the beginning of one', () => {
    const rows = [
      { mutant: 'src/a.ts: *', class: 'equivalent', reason: 'all of the file' },
      { mutant: 'src/a.ts: one', class: 'missed', reason: 'this one' },
    ] as const;
    expect(classify('src/a.ts: one', rows)?.class).toBe('missed');
    expect(classify('src/a.ts: two', rows)?.class).toBe('equivalent');
    expect(classify('src/b.ts: two', rows)).toBeUndefined();
  });
});
