import type { errors } from '#generated/rules.ts';
import { type RuleBook, defaultRules } from './rule-book.ts';

type ProblemRow = (typeof errors.problems)[number];

/** Code of a row of spec/rules/errors.yaml. */
export type ProblemCode = ProblemRow['code'];

/** Placeholder names of a message template. */
type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** Name of the placeholder whose value the Allow header of a row shows; `never` for a row without this header. */
type Allowed<Row> = Row extends { readonly allow: infer Name extends string } ? Name : never;

/**
 * Values for a problem's message: one for each placeholder and header of its row. A missing value is a compile error.
 */
export type ProblemValues<Code extends ProblemCode> = Code extends ProblemCode
  ? {
      readonly [Name in
        | Placeholder<Extract<ProblemRow, { readonly code: Code }>['message']>
        | Allowed<Extract<ProblemRow, { readonly code: Code }>>]: string;
    }
  : never;

/** Location of an error, outermost part first: `["body", "modelParams", "reasoning"]`. Array indexes are integers. */
export type Location = readonly (string | number)[];

/** One element of a 422 body (contract section 2, validation error body). */
export interface Detail {
  readonly loc: Location;
  readonly msg: string;
  readonly type: string;
}

/** Key of the member that marks problems. JSON cannot contain a symbol, so no request body counts as a problem. */
const refused = Symbol('refused');

interface CodedProblem {
  readonly [refused]: true;
  readonly code: ProblemCode;
  readonly values: Readonly<Record<string, string>>;
  readonly loc: Location;
}

interface ValidationProblem {
  readonly [refused]: true;
  readonly code: 'validation_failed';
  readonly details: readonly Detail[];
}

/**
 * The reason why a request is rejected: a code with values, or validation details. {@link renderProblem} creates the
 * response.
 */
export type Problem = CodedProblem | ValidationProblem;

/** Additional members of a 429 body (companion 3.1). */
export interface RateBody {
  readonly error: 'rate_limited';
  /** Rate limit in requests per second, which is counted in windows of 5 seconds. */
  readonly limit_rps: number;
  readonly retry_after_seconds: number;
}

/** Detail of a 402 body for a key whose monthly limit is used up (companion 3.1); amounts in US dollars. */
export interface SpendCapDetail {
  readonly code: ProblemCode;
  readonly message: string;
  readonly cap: number;
  readonly spent: number;
}

/** Status, body and headers of a problem response. */
export interface RenderedProblem {
  readonly status: number;
  readonly body: { readonly detail: string | readonly Detail[] | SpendCapDetail } & Partial<RateBody>;
  /** Headers of the response, if any. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a problem. `loc` is the location of the fault, by default the whole body; responses show it only for codes
 * with the body kind `validation`.
 */
export function problem<Code extends ProblemCode>(
  code: Code,
  values: ProblemValues<Code>,
  loc: Location = ['body'],
): Problem {
  return { [refused]: true, code, values, loc };
}

/** Creates a validation problem with all faults of a request; `details` has at least one element. */
export function validationProblem(details: readonly Detail[]): Problem {
  return { [refused]: true, code: 'validation_failed', details };
}

/** Returns whether a value is a problem. */
export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && refused in value;
}

/** Returns the details that a problem shows in a 422 body. */
export function problemDetails(found: Problem, rules: RuleBook = defaultRules): readonly Detail[] {
  if ('details' in found) return found.details;
  const row = findRow(found.code, rules);
  return [{ loc: found.loc, msg: fillTemplate(row.message, found.values), type: row.type ?? row.code }];
}

/**
 * Renders status, body and headers of a problem. Throws for a code without a row, which is an error of the rule book.
 */
export function renderProblem(found: Problem, rules: RuleBook = defaultRules): RenderedProblem {
  const { status, body, message, retryAfter, retryAfterSeconds, allow } = findRow(found.code, rules);
  if (body === 'validation' || 'details' in found) return { status, body: { detail: problemDetails(found, rules) } };
  const headers = {
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...problemHeaders('Retry-After', retryAfter, found.values),
    ...problemHeaders('Allow', allow, found.values),
  };
  const rate = body === 'rate' ? rateBody(found.values) : {};
  const text = fillTemplate(message, found.values);
  const detail = body === 'cap' ? spendCap(found.code, text, found.values) : text;
  const shown = { status, body: { detail, ...rate } };
  return Object.keys(headers).length === 0 ? shown : { ...shown, headers };
}

function spendCap(
  code: ProblemCode,
  message: string,
  { cap, spent }: Readonly<Record<string, string>>,
): SpendCapDetail {
  return { code, message, cap: Number(cap), spent: Number(spent) };
}

/**
 * Returns a header with the value of the placeholder `name`; an empty object if `name` is undefined or has no value.
 */
function problemHeaders(
  header: string,
  name: string | undefined,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const value = name === undefined ? undefined : values[name];
  return value === undefined ? {} : { [header]: value };
}

function rateBody({ limit, seconds }: Readonly<Record<string, string>>): RateBody {
  return { error: 'rate_limited', limit_rps: Number(limit), retry_after_seconds: Number(seconds) };
}

/**
 * Replaces each `{name}` in a template by its value, in a single pass. Braces inside a value stay as they are, and so
 * does a placeholder without a value.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  let text = '';
  for (const { before, name, whole } of parseTemplate(template))
    text += before + (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole);
  return text;
}

/** A placeholder of a template with the text before it. The last part of a template may have only text. */
interface TemplatePart {
  readonly before: string;
  readonly name: string;
  readonly whole: string;
}

/** Parsed templates by text. Templates are rows of a rule book, so the cache stays small. */
const taken = new Map<string, readonly TemplatePart[]>();

function parseTemplate(template: string): readonly TemplatePart[] {
  const known = taken.get(template);
  if (known !== undefined) return known;
  const texts = template.split(/\{(\w+)\}/);
  const parts = texts.flatMap((before, index) => {
    if (index % 2 === 1) return [];
    const name = texts[index + 1];
    return [{ before, name: name ?? '', whole: name === undefined ? '' : `{${name}}` }];
  });
  taken.set(template, parts);
  return parts;
}

function findRow(code: string, rules: RuleBook): RuleBook['errors']['problems'][number] {
  const row = indexRows(rules).get(code);
  if (row === undefined) throw new Error(`errors: found no row for ${code}`);
  return row;
}

type Rows = ReadonlyMap<string, RuleBook['errors']['problems'][number]>;

/** Index of each table's rows by code. */
const rowsByCode = new WeakMap<object, Rows>();

function indexRows({ errors: { problems } }: RuleBook): Rows {
  const known = rowsByCode.get(problems);
  if (known !== undefined) return known;
  const rows: Rows = new Map(problems.toReversed().map((row) => [row.code, row]));
  rowsByCode.set(problems, rows);
  return rows;
}
