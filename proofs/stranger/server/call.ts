/** Types of requests, responses and refusals, and readers of validated bodies. */
import type { Json, Project, World } from './world.ts';

/** Name of an operation. Faults that affect only one operation refer to this name. */
export type Operation = string;

/** One authenticated request. */
export interface Call {
  readonly world: World;
  readonly project: Project;
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** One response. Without `body` the response is empty. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One element of the `detail` of a 422. */
export interface Problem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Thrown by an operation to refuse a request; contains the response. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** Throws a refusal with a status and a text. */
export function refuse(world: World, status: number, words: string): never {
  throw new Refusal({ status, body: { detail: world.dialect.words(status, words) } });
}

/** Thrown at the end of validation; contains the problems of the request. */
export class Invalid extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('the request is not valid');
    this.problems = problems;
  }
}

/** Returns a copy of the body; an empty object for a body that is not an object. */
export function bodyObject(call: Call): Json {
  return typeof call.body === 'object' && call.body !== null && !Array.isArray(call.body) ? { ...call.body } : {};
}

/** Returns a validated member as text, or null. */
export function text(body: Json, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' ? value : null;
}

/** Returns a validated member as a boolean; `standard` if it is no boolean. */
export function flag(body: Json, name: string, standard: boolean): boolean {
  const value = body[name];
  return typeof value === 'boolean' ? value : standard;
}

/** Returns a member as an object, or null. */
export function objectIn(body: Json, name: string): Json | null {
  const value = body[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
