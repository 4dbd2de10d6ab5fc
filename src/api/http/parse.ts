import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonValue } from '#lib/json.ts';
import { isWithin, type JsonBounds } from '#lib/json-size.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type Problem, isProblem, problem, validationProblem } from '#contract/problems.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import { violationDetail } from '#contract/violations.ts';
import type { ParsedRequest } from '#operations/operation.ts';
import type { OperationValidators } from './validators.ts';
import { type HttpRequest, tooLarge } from '#contract/http-messages.ts';

const jsonType = /^application\/json\s*(;|$)/i;
const shownTypeLength = 80;

/** A request with its route, before parsing. */
export interface Unparsed {
  readonly request: HttpRequest;
  /** Path parameters by name, already decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly rules: RuleBook;
}

/**
 * Parses a request: checks content type and JSON of the body, then validates path, query, headers and body against
 * their schemas.
 */
export function parse(
  { validators }: { readonly validators: OperationValidators },
  { request, path, rules }: Unparsed,
): MaybePromise<ParsedRequest | Problem> {
  const read = validators.body === undefined ? undefined : readBody(validators.body.required, request, rules);
  return whenResolved(read, (body) =>
    isProblem(body)
      ? body
      : judged(
          validators,
          {
            path: { ...path },
            query: readQuery(request.query, validators.lists),
            headers: documented(validators.headers.names, request),
            body,
            ...(request.clientGone === undefined ? {} : { clientGone: request.clientGone }),
          },
          rules,
        ),
  );
}

function judged(validators: OperationValidators, parsed: ParsedRequest, rules: RuleBook): ParsedRequest | Problem {
  const wrong = [
    violations(validators.path, parsed.path, 'path'),
    violations(validators.query, parsed.query, 'query'),
    violations(validators.headers.validate, parsed.headers, 'header'),
    validators.body === undefined || parsed.body === undefined
      ? none
      : violations(validators.body.validate, parsed.body, 'body'),
  ];
  if (wrong.every((found) => found === none)) return parsed;
  const told = wrong.flat().slice(0, getLimit(rules, 'requestFaults'));
  return validationProblem(told.map(({ part, error }) => violationDetail(part, error, rules)));
}

/** Returns those headers of the request that the operation documents, with the documented spelling of their names. */
function documented(names: readonly string[], { headers }: HttpRequest): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name.toLowerCase()];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/**
 * Returns the query parameters by name. For a repeated parameter, returns the list of its values if the parameter is a
 * list, otherwise the last value.
 */
function readQuery(given: URLSearchParams, lists: ReadonlySet<string>): Record<string, unknown> {
  if (given.size === 0) return {};
  const values = Array.from(given, ([name, value]): [string, unknown] => [
    name,
    lists.has(name) ? given.getAll(name) : value,
  ]);
  return Object.fromEntries(values);
}

async function readBody(
  required: boolean,
  request: HttpRequest,
  rules: RuleBook,
): Promise<JsonValue | undefined | Problem> {
  const bytes = await request.readBody();
  if (bytes === tooLarge) return problem('body_too_large', { limit: String(request.bodyLimit) });
  if (bytes.length === 0) return required ? problem('body_missing', {}, ['body']) : undefined;
  const type = request.headers['content-type'] ?? 'none';
  if (!jsonType.test(type)) return problem('wrong_content_type', { found: type.slice(0, shownTypeLength) }, ['body']);
  const bounds = jsonBounds(rules);
  return isWithin(bytes, bounds) ? readJson(bytes) : tooComplex(bounds);
}

function jsonBounds(rules: RuleBook): JsonBounds {
  return { depth: getLimit(rules, 'requestJsonDepth'), values: getLimit(rules, 'requestJsonValues') };
}

function tooComplex({ depth, values }: JsonBounds): Problem {
  return problem('json_too_complex', { depth: String(depth), values: String(values) }, ['body']);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readJson(bytes: Uint8Array): JsonValue | Problem {
  try {
    const value: JsonValue = JSON.parse(utf8.decode(bytes));
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return problem('malformed_json', { reason: withoutExcerpt(error.message) }, ['body']);
    throw error;
  }
}

/** Removes the quoted excerpt from a parser message, because a body may contain secrets. */
function withoutExcerpt(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/su, '');
}

interface Violation {
  readonly part: string;
  readonly error: ErrorObject;
}

const none: readonly Violation[] = [];

/** Maximum number of validation errors that are read; a list can have one for each element. */
const errorsMax = 1000;

/** Validates a part of a request. Returns one violation for each location in it: the most specific error there. */
function violations(validate: ValidateFunction, value: unknown, part: string): readonly Violation[] {
  if (validate(value)) return none;
  const byPlace = Map.groupBy((validate.errors ?? []).slice(0, errorsMax), errorLocation);
  // A validator keeps the errors of its last call, and with them the validated value.
  validate.errors = null;
  return [...byPlace.values()].flatMap((errors) => {
    const telling = mostTelling(errors);
    return telling === undefined ? [] : [{ part, error: telling }];
  });
}

function errorLocation(error: ErrorObject): string {
  return error.keyword === 'required'
    ? `${error.instancePath}/${String(error.params['missingProperty'])}`
    : error.instancePath;
}

/**
 * Returns the most specific error. `anyOf` repeats the errors of its branches, and its null branch only says that the
 * value is not null.
 */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const branches = errors.filter((error) => error.keyword !== 'anyOf' && error.keyword !== 'if');
  // Only a text can violate a pattern. The branch with this error has the right type, and its error is more specific.
  return (
    branches.find((error) => error.keyword === 'pattern') ??
    branches.find((error) => !(error.keyword === 'type' && error.params['type'] === 'null')) ??
    branches[0] ??
    errors[0]
  );
}
