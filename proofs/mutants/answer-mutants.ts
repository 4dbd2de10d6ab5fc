import { operations } from '#generated/operations.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { whenResolved } from '#lib/maybe-promise.ts';
import type { Judged } from './judge-reference.ts';

/** A change that replaces every successful answer of one operation. */
export interface AnswerMutant {
  /** Permanent name of the mutant: generation, operation and change. */
  readonly key: string;
  readonly method: string;
  readonly path: RegExp;
  readonly change: AnswerChange;
}

/**
 * A function that creates a replacer. The replacer receives each successful answer of one operation in turn, and
 * returns the answer to send instead.
 */
type AnswerChange = () => (request: HttpRequest, reply: HttpReply) => HttpReply;

const refusals = [403, 404, 409, 422, 429, 500, 503];

const changes: ReadonlyMap<string, AnswerChange> = new Map([
  ...refusals.map((status): [string, AnswerChange] => [`status ${status}`, () => () => refusal(status)]),
  ['every third status 500', everyThirdFails],
  ['empty object', () => (_request, reply) => withBody(reply, {})],
  ['no body', () => () => ({ status: 204, body: undefined })],
  ['null', () => (_request, reply) => withBody(reply, null)],
  ['in a list', () => (_request, reply) => withBody(reply, [reply.body])],
  ['below data', () => (_request, reply) => withBody(reply, { data: reply.body })],
  ['first answer for all', firstFor(() => '')],
  ['first answer of each path', firstFor(({ path }) => path)],
  ['answer before', answerBefore],
]);

/** Returns one mutant for each operation and change. */
export function answerMutants(): AnswerMutant[] {
  return operations.flatMap(({ version, id, method, path }) =>
    [...changes].map(([name, change]) => ({
      key: `answers ${version} ${id}: ${name}`,
      method: method.toUpperCase(),
      path: new RegExp(`^/api/${version}${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
      change,
    })),
  );
}

/** Creates the hook that replaces the successful answers; `onChange` is called before each replacement. */
export function replaceAnswers(mutant: AnswerMutant, onChange: () => void): NonNullable<Judged['around']> {
  const change = mutant.change();
  return (request, answer) => {
    const reply = answer(request);
    if (request.method !== mutant.method || !mutant.path.test(request.path)) return reply;
    return whenResolved(reply, (given) => {
      if (given.status >= 300) return given;
      onChange();
      return change(request, given);
    });
  };
}

function refusal(status: number): HttpReply {
  const listed = [{ loc: ['body'], msg: 'Refused', type: 'value_error' }];
  return { status, body: { detail: status === 422 ? listed : 'Refused' } };
}

function withBody({ status, headers }: HttpReply, body: unknown): HttpReply {
  return { status, body, ...(headers === undefined ? {} : { headers }) };
}

function everyThirdFails(): ReturnType<AnswerChange> {
  let count = 0;
  return (_request, reply) => ((count += 1) % 3 === 0 ? refusal(500) : reply);
}

function firstFor(group: (request: HttpRequest) => string): AnswerChange {
  return () => {
    const firsts = new Map<string, HttpReply>();
    return (request, reply) => {
      const first = firsts.get(group(request)) ?? reply;
      firsts.set(group(request), first);
      return first;
    };
  };
}

function answerBefore(): ReturnType<AnswerChange> {
  let before: HttpReply | undefined;
  return (_request, reply) => {
    const given = before ?? reply;
    before = reply;
    return given;
  };
}
