import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { type Verdict, changeKinds } from './change-kinds.ts';
import { judge } from './change.ts';
import { compareDocuments } from './compare-documents.ts';
import { loadDocuments } from './load-documents.ts';

/**
 * Returns a document with one operation. `request` and `response` are the schemas of its bodies; `operation` adds
 * members to the operation, and the rest adds members to the document.
 */
function createDocument({ request, response, operation, ...rest }: Parts): JsonObject {
  const body = (schema: JsonValue): JsonObject => ({ content: { 'application/json': { schema } } });
  const post: JsonObject = {
    operationId: 'createThing',
    ...(request === undefined ? {} : { requestBody: { required: true, ...body(request) } }),
    responses: { '200': { description: 'It.', ...(response === undefined ? {} : body(response)) } },
    ...operation,
  };
  return { openapi: '3.1.0', paths: { '/things': { post } }, ...rest };
}

interface Parts {
  readonly request?: JsonValue;
  readonly response?: JsonValue;
  readonly operation?: JsonObject;
  readonly paths?: JsonObject;
  readonly security?: JsonValue;
  readonly components?: JsonObject;
}

function found(old: JsonObject, fresh: JsonObject): [Verdict, string][] {
  return compareDocuments({ old, new: fresh }).map((change) => {
    const { verdict, sentence } = judge(change);
    return [verdict, sentence];
  });
}

const ofA = (schema: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties: { a: schema },
  required: [...required],
});
const empty: JsonObject = { type: 'object', properties: {} };
const text: JsonObject = { type: 'string' };
const values = (...listed: readonly JsonValue[]): JsonObject => ({ type: 'string', enum: [...listed] });
const when = (model: string, a: JsonObject): JsonObject => ({
  if: { properties: { model: { enum: [model] } }, required: ['model'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { a } },
});
const ruled = (...rules: readonly JsonObject[]): JsonObject => ({
  type: 'object',
  properties: { model: values('one', 'two'), a: values('low', 'high') },
  allOf: [...rules],
});
/** Returns a schema with rules for a member `a` that may be null. */
const nullable = (...rules: readonly JsonObject[]): JsonObject => ({
  type: 'object',
  properties: { model: values('one', 'two'), a: { anyOf: [values('low'), { type: 'null' }] } },
  allOf: [...rules],
});
/** Returns a rule for the model `one` that also applies without a model. */
const byDefault = (a: JsonObject): JsonObject => ({
  ...when('one', a),
  if: { properties: { model: { enum: ['one'] } } },
});
/** Returns a conditional schema of an unsupported form. */
const odd = (wording: JsonObject): JsonObject => ({ ...when('one', text), if: { minProperties: 2, ...wording } });
const pet = (name: string): JsonObject => ({ type: 'object', required: [name], properties: { [name]: text } });

interface SchemaRow {
  readonly name: string;
  readonly given: readonly [JsonValue, JsonValue];
  /** Expected change, as the text that follows `POST /things request` or `POST /things response 200`. */
  readonly says: string;
  readonly request: Verdict;
  readonly response: Verdict;
  /** Expected text of the reverse change. */
  readonly back: string;
  readonly requestBack: Verdict;
  readonly responseBack: Verdict;
}

const narrows = { request: 'breaking', response: 'fine', requestBack: 'fine' } as const;
const schemaRows: readonly SchemaRow[] = [
  {
    name: 'a value goes',
    given: [ofA(values('x', 'y')), ofA(values('x'))],
    says: '.a: value removed "y"',
    back: '.a: value added "y"',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'values are listed',
    given: [ofA(text), ofA(values('x'))],
    says: '.a: values are now limited to "x"',
    back: '.a: values are no longer limited to "x"',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'a type goes',
    given: [ofA({ type: ['string', 'null'] }), ofA(text)],
    says: '.a: type removed null',
    back: '.a: type added null',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'null goes out of an anyOf',
    given: [ofA({ anyOf: [values('x'), { type: 'null' }] }), ofA(values('x'))],
    says: '.a: type removed null',
    back: '.a: type added null',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'a number becomes whole',
    given: [ofA({ type: 'number' }), ofA({ type: 'integer' })],
    says: '.a: type removed number beside integer',
    back: '.a: type added number beside integer',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'a type is said for the first time',
    given: [ofA({}), ofA(text)],
    says: '.a: types are now limited to string',
    back: '.a: types are no longer limited to string',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'an upper bound sinks',
    given: [ofA({ type: 'integer', maximum: 10 }), ofA({ type: 'integer', maximum: 5 })],
    says: '.a: limit tightened (maximum: 10 -> 5)',
    back: '.a: limit loosened (maximum: 5 -> 10)',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'a lower bound appears',
    given: [ofA(text), ofA({ type: 'string', minLength: 1 })],
    says: '.a: limit tightened (minLength: none -> 1)',
    back: '.a: limit loosened (minLength: 1 -> none)',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'a pattern appears',
    given: [ofA(text), ofA({ type: 'string', pattern: '^a$' })],
    says: '.a: limit tightened (pattern: none -> "^a$")',
    back: '.a: limit loosened (pattern: "^a$" -> none)',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'a format becomes another',
    given: [ofA({ type: 'string', format: 'uuid' }), ofA({ type: 'string', format: 'uri' })],
    says: '.a: pattern or format changed (format: "uuid" -> "uri")',
    back: '.a: pattern or format changed (format: "uri" -> "uuid")',
    request: 'breaking',
    response: 'risky',
    requestBack: 'breaking',
    responseBack: 'risky',
  },
  {
    name: 'a default changes',
    given: [ofA({ type: 'integer', default: 1 }), ofA({ type: 'integer', default: 2 })],
    says: '.a: default changed (1 -> 2)',
    back: '.a: default changed (2 -> 1)',
    request: 'risky',
    response: 'fine',
    requestBack: 'risky',
    responseBack: 'fine',
  },
  {
    name: 'an optional member comes',
    given: [empty, ofA(text)],
    says: '.a: optional member added',
    request: 'fine',
    response: 'fine',
    back: '.a: member removed',
    requestBack: 'breaking',
    responseBack: 'breaking',
  },
  {
    name: 'a required member comes',
    given: [empty, ofA(text, ['a'])],
    says: '.a: required member added',
    request: 'breaking',
    response: 'fine',
    back: '.a: member removed',
    requestBack: 'breaking',
    responseBack: 'breaking',
  },
  {
    name: 'a member becomes required',
    given: [ofA(text), ofA(text, ['a'])],
    says: '.a: member became required',
    back: '.a: member became optional',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'other members are shut out',
    given: [empty, { ...empty, additionalProperties: false }],
    says: ': members that are not listed are no longer allowed',
    back: ': members that are not listed are now allowed',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'the members of a list lose a value',
    given: [ofA({ type: 'array', items: values('x', 'y') }), ofA({ type: 'array', items: values('x') })],
    says: '.a[]: value removed "y"',
    back: '.a[]: value added "y"',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'a shape among several goes',
    given: [{ oneOf: [pet('cat'), pet('dog')] }, { oneOf: [pet('cat')] }],
    says: ': alternative shape removed',
    back: ': alternative shape added',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'nothing is allowed any more',
    given: [ofA(text), ofA({ allOf: [text, { type: 'null' }] })],
    says: '.a: nothing is allowed here any more',
    back: '.a: values are now allowed here',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'a rule takes a value from one model',
    given: [ruled(), ruled(when('one', { enum: ['low'] }))],
    says: '.a (when model is "one"): value removed "high"',
    back: '.a (when model is "one"): value added "high"',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'a rule of two models loses a value',
    given: [
      ruled(when('one', { enum: ['low', 'high'] }), when('two', { enum: ['low', 'high'] })),
      ruled(when('one', { enum: ['low'] }), when('two', { enum: ['low'] })),
    ],
    says: '.a (when model is "one" or "two"): value removed "high"',
    back: '.a (when model is "one" or "two"): value added "high"',
    ...narrows,
    responseBack: 'risky',
  },
  {
    name: 'a rule leaves only null',
    given: [nullable(), nullable(when('one', { enum: [null] }))],
    says: '.a (when model is "one"): type removed string',
    back: '.a (when model is "one"): type added string',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'a rule takes null away, also while no model is named',
    given: [nullable(), nullable(byDefault({ enum: ['low'] }))],
    says: '.a (when model is "one" or absent): type removed null',
    back: '.a (when model is "one" or absent): type added null',
    ...narrows,
    responseBack: 'breaking',
  },
  {
    name: 'a rule changes that cannot be read',
    given: [ruled(), ruled(odd({}))],
    says: ': a conditional rule changed that this tool cannot read',
    back: ': a conditional rule changed that this tool cannot read',
    request: 'risky',
    response: 'risky',
    requestBack: 'risky',
    responseBack: 'risky',
  },
];

describe('reports a schema change with location and direction:', () => {
  test.each(schemaRows)('$name', ({ given: [old, fresh], says, back, ...verdicts }) => {
    const sent = [{ request: old }, { request: fresh }].map((parts) => createDocument(parts)) as [
      JsonObject,
      JsonObject,
    ];
    const read = [{ response: old }, { response: fresh }].map((parts) => createDocument(parts)) as [
      JsonObject,
      JsonObject,
    ];
    expect(found(...sent)).toEqual([[verdicts.request, `POST /things request${says}`]]);
    expect(found(...read)).toEqual([[verdicts.response, `POST /things response 200${says}`]]);
    expect(found(sent[1], sent[0])).toEqual([[verdicts.requestBack, `POST /things request${back}`]]);
    expect(found(read[1], read[0])).toEqual([[verdicts.responseBack, `POST /things response 200${back}`]]);
  });

  test('a new model with a conditional rule breaks no client', () => {
    const fresh = ruled(when('three', { enum: ['low'] }));
    (fresh['properties'] as JsonObject)['model'] = values('one', 'two', 'three');
    expect(found(createDocument({ request: ruled() }), createDocument({ request: fresh }))).toEqual([
      ['fine', 'POST /things request.model: value added "three"'],
    ]);
  });

  test('reports a change for all models once', () => {
    const rule = when('one', { enum: ['low', 'high'] });
    const fresh = { ...ruled(rule), properties: { model: values('one', 'two'), a: values('low') } };
    expect(found(createDocument({ request: ruled(rule) }), createDocument({ request: fresh }))).toEqual([
      ['breaking', 'POST /things request.a: value removed "high"'],
    ]);
  });

  test('ignores the wording of an unsupported conditional schema', () => {
    const [old, fresh] = [ruled(odd({ description: 'One.' })), ruled(odd({ description: 'Two.', 'x-source': 'z' }))];
    expect(found(createDocument({ request: old }), createDocument({ request: fresh }))).toEqual([]);
  });

  test('ignores wording, order and inlined schemas', () => {
    const old = { allOf: [{ description: 'One.', ...ofA(values('x', 'y'), ['a']) }] };
    const fresh = {
      required: ['a'],
      properties: { a: { enum: ['y', 'x'], title: 'A' } },
      type: 'object',
      'x-source': 'z',
    };
    expect(found(createDocument({ request: old }), createDocument({ request: fresh }))).toEqual([]);
  });
});

interface OperationRow {
  readonly name: string;
  readonly given: readonly [Parts, Parts];
  readonly want: readonly [Verdict, string];
  readonly back: readonly [Verdict, string];
}

const query = (required: boolean): Parts => ({
  operation: { parameters: [{ name: 'page', in: 'query', required, schema: { type: 'integer' } }] },
});
const ids = (how: JsonObject): Parts => ({
  operation: { parameters: [{ name: 'ids', in: 'query', ...how }] },
});
const answers = (...statuses: readonly string[]): Parts => ({
  operation: { responses: Object.fromEntries(statuses.map((status) => [status, { description: 'It.' }])) },
});
const header = (schema: JsonObject): Parts => ({
  operation: { responses: { '200': { description: 'It.', headers: { 'Retry-After': { schema } } } } },
});
const keyIn = (name: string): Parts => ({
  security: [{ Key: [] }],
  components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name } } },
});
const either = (...requirements: readonly JsonObject[]): Parts => ({
  ...keyIn('X-Key'),
  security: [...requirements],
});
/** Returns the parts of a document whose only operation has a path with one parameter. */
const inPath = (name: string, schema: JsonObject): Parts => ({
  paths: {
    [`/things/{${name}}`]: { get: { parameters: [{ in: 'path', name, required: true, schema }], responses: {} } },
  },
});
const media = (...types: readonly string[]): Parts => ({
  operation: { requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: text }])) } },
});
const body = (required: boolean): Parts => ({
  operation: { requestBody: { required, content: { 'application/json': { schema: text } } } },
});

const operationRows: readonly OperationRow[] = [
  {
    name: 'an operation comes',
    given: [{ paths: {} }, {}],
    want: ['fine', 'POST /things: operation added'],
    back: ['breaking', 'POST /things: operation removed'],
  },
  {
    name: 'an operation is renamed',
    given: [{}, { operation: { operationId: 'makeThing' } }],
    want: ['risky', 'POST /things: operationId changed ("createThing" -> "makeThing")'],
    back: ['risky', 'POST /things: operationId changed ("makeThing" -> "createThing")'],
  },
  {
    name: 'the key moves to another header',
    given: [keyIn('X-Key'), keyIn('X-Other')],
    want: ['breaking', 'POST /things: authentication changed'],
    back: ['breaking', 'POST /things: authentication changed'],
  },
  {
    name: 'a key is required that was optional',
    given: [either({}, { Key: [] }), either({ Key: [] })],
    want: ['breaking', 'POST /things: authentication changed'],
    back: ['breaking', 'POST /things: authentication changed'],
  },
  {
    name: 'a path parameter, also a renamed one, takes fewer values',
    given: [inPath('id', text), inPath('thing_id', { ...text, format: 'uuid' })],
    want: ['breaking', 'GET /things/{id} path parameter 1: limit tightened (format: none -> "uuid")'],
    back: ['fine', 'GET /things/{thing_id} path parameter 1: limit loosened (format: "uuid" -> none)'],
  },
  {
    name: 'an optional parameter comes',
    given: [{}, query(false)],
    want: ['fine', 'POST /things query page: optional parameter added'],
    back: ['breaking', 'POST /things query page: parameter removed'],
  },
  {
    name: 'a required parameter comes',
    given: [{}, query(true)],
    want: ['breaking', 'POST /things query page: required parameter added'],
    back: ['breaking', 'POST /things query page: parameter removed'],
  },
  {
    name: 'a parameter becomes required',
    given: [query(false), query(true)],
    want: ['breaking', 'POST /things query page: parameter became required'],
    back: ['fine', 'POST /things query page: parameter became optional'],
  },
  {
    name: 'a body becomes required',
    given: [body(false), body(true)],
    want: ['breaking', 'POST /things request: body became required'],
    back: ['fine', 'POST /things request: body became optional'],
  },
  {
    name: 'a list in a query is written in another way',
    given: [ids({ style: 'form' }), ids({ explode: false })],
    want: ['breaking', 'POST /things query ids: encoding of the parameter changed (form with explode -> form)'],
    back: ['breaking', 'POST /things query ids: encoding of the parameter changed (form -> form with explode)'],
  },
  {
    name: 'a parameter becomes JSON',
    given: [ids({ schema: text }), ids({ content: { 'application/json': { schema: text } } })],
    want: [
      'breaking',
      'POST /things query ids: encoding of the parameter changed (form with explode -> by media type)',
    ],
    back: [
      'breaking',
      'POST /things query ids: encoding of the parameter changed (by media type -> form with explode)',
    ],
  },
  {
    name: 'the JSON of a parameter becomes longer',
    given: [
      ids({ content: { 'application/json': { schema: { ...text, maxLength: 5 } } } }),
      ids({ content: { 'application/json': { schema: text } } }),
    ],
    want: ['fine', 'POST /things query ids: limit loosened (maxLength: 5 -> none)'],
    back: ['breaking', 'POST /things query ids: limit tightened (maxLength: none -> 5)'],
  },
  {
    name: 'an optional body comes',
    given: [{}, body(false)],
    want: ['fine', 'POST /things request: optional body added'],
    back: ['breaking', 'POST /things request: body removed'],
  },
  {
    name: 'a required body comes',
    given: [{}, body(true)],
    want: ['breaking', 'POST /things request: required body added'],
    back: ['breaking', 'POST /things request: body removed'],
  },
  {
    name: 'the body of an answer comes',
    given: [{}, { response: text }],
    want: ['fine', 'POST /things response 200: media type added application/json'],
    back: ['breaking', 'POST /things response 200: body removed'],
  },
  {
    name: 'a media type comes',
    given: [media('application/json'), media('application/json', 'text/csv')],
    want: ['fine', 'POST /things request: media type added text/csv'],
    back: ['breaking', 'POST /things request: media type removed text/csv'],
  },
  {
    name: 'a success status comes',
    given: [answers('200'), answers('200', '202')],
    want: ['risky', 'POST /things response 202: success status added'],
    back: ['breaking', 'POST /things response 202: success status removed'],
  },
  {
    name: 'an error status comes',
    given: [answers('200'), answers('200', '409')],
    want: ['risky', 'POST /things response 409: error status added'],
    back: ['risky', 'POST /things response 409: error status removed'],
  },
  {
    name: 'a header comes',
    given: [answers('200'), header({ type: 'integer' })],
    want: ['fine', 'POST /things response 200 header Retry-After: header added'],
    back: ['breaking', 'POST /things response 200 header Retry-After: header removed'],
  },
];

describe('reports a change of an operation with its location:', () => {
  test.each(operationRows)('$name', ({ given: [old, fresh], want, back }) => {
    expect(found(createDocument(old), createDocument(fresh))).toEqual([want]);
    expect(found(createDocument(fresh), createDocument(old))).toEqual([back]);
  });

  test('ignores the order of security requirements, schemes and scopes', () => {
    const [old, fresh] = [
      either({ Key: [], User: ['read', 'write'] }, {}),
      either({}, { User: ['write', 'read'], Key: [] }),
    ];
    expect(found(createDocument(old), createDocument(fresh))).toEqual([]);
  });

  test('takes the tighter one of two limits, in any order', () => {
    const [short, long] = [
      { ...text, maxLength: 5, minLength: 1 },
      { ...text, maxLength: 9, minLength: 2 },
    ];
    const [old, fresh] = [{ allOf: [short, long] }, { allOf: [long, short] }];
    const tight = { ...text, maxLength: 5, minLength: 2 };
    expect(found(createDocument({ request: old }), createDocument({ request: fresh }))).toEqual([]);
    expect(found(createDocument({ request: old }), createDocument({ request: tight }))).toEqual([]);
  });

  test('ignores a renamed path parameter', () => {
    const at = (path: string): JsonObject => ({ openapi: '3.1.0', paths: { [path]: { get: { responses: {} } } } });
    expect(found(at('/things/{id}'), at('/things/{thing_id}'))).toEqual([]);
    expect(found(at('/things/{id}'), at('/others/{id}'))).toHaveLength(2);
  });
});

test('has a reason for every kind of breaking or risky change', () => {
  const silent = Object.entries(changeKinds)
    .filter(([, kind]) => (kind.request !== 'fine' || kind.response !== 'fine') && !('why' in kind))
    .map(([name]) => name);
  expect(silent).toEqual([]);
});

test.each(['v2', 'v3', 'v4'])('finds no change between %s and itself', async (version) => {
  const [old, fresh] = await Promise.all([loadDocuments(version), loadDocuments(version)]);
  const document = old.get('') ?? {};
  expect(compareDocuments({ old: document, new: fresh.get('') ?? {} })).toEqual([]);
  expect(compareDocuments({ old: document, new: structuredClone(document) })).toEqual([]);
});

const { schema: anySchema } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
  object: fc
    .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('schema'), { minKeys: 1 }), fc.boolean(), fc.nat())
    .map(([properties, closed, chosen]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter((_name, index) => (chosen >> index) % 2 === 0),
      ...(closed ? { additionalProperties: false } : {}),
    })),
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'integer', minimum: 1 }, { type: ['string', 'null'] }, {}),
    fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }).map((listed) => values(...listed)),
    tie('object'),
    tie('schema').map((items): JsonObject => ({ type: 'array', items })),
    tie('schema').map((inner): JsonObject => ({ anyOf: [inner, { type: 'null' }] })),
    tie('schema').map((inner): JsonObject => ({ allOf: [inner, { description: 'The same.' }] })),
  ),
}));

test('finds no change between a random document and its copy', () => {
  fc.assert(
    fc.property(anySchema, anySchema, (request, response) => {
      const document = createDocument({ request, response });
      expect(found(document, structuredClone(document))).toEqual([]);
    }),
  );
});

/** Functions that nest a schema in another schema. Each nested schema still concerns clients. */
const wrappers: readonly ((inner: JsonObject) => JsonObject)[] = [
  (inner) => ofA(inner),
  (inner) => ({ type: 'array', items: inner }),
  (inner) => ({ anyOf: [inner, { type: 'null' }] }),
  (inner) => ({ allOf: [inner, { type: 'object' }] }),
];

test('reports a removed required response member as breaking at any depth', () => {
  const members = fc.dictionary(fc.constantFrom('b', 'c', 'd'), anySchema);
  const path = fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 4 });
  fc.assert(
    fc.property(anySchema, members, path, (lost, kept, indexes) => {
      // An allOf with type `object` is valid around an object only.
      const steps = indexes.map((index, at) => (index === 3 && at > 0 ? 0 : index));
      const wrap = (inner: JsonObject): JsonObject =>
        steps.reduce((schema, index) => (wrappers[index] ?? wrappers[0])?.(schema) ?? schema, inner);
      const old = { type: 'object', properties: { ...kept, gone: lost }, required: ['gone', ...Object.keys(kept)] };
      const fresh = { type: 'object', properties: kept, required: Object.keys(kept) };
      const changes = found(createDocument({ response: wrap(old) }), createDocument({ response: wrap(fresh) }));
      expect(changes).toEqual([['breaking', expect.stringMatching(/\.gone: member removed$/)]]);
    }),
  );
});
