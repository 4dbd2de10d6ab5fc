import type { MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';

/** Left out where nothing of it is required. */
type Given<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/** The body of an operation's success; undefined where it has none. */
type Success<Operation> = Operation extends { responses: infer Answers }
  ? BodyOf<Answers[keyof Answers & (200 | 201 | 202)]>
  : never;
type BodyOf<Answer> = [Answer] extends [never]
  ? undefined
  : Answer extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined;

/**
 * Calls an operation by its documented path, with `{ params, body, signal, headers }` as openapi-fetch takes them. Resolves to the body of a
 * success. Rejects with ServiceError for any other answer, and with what fetch rejects with where there is none.
 */
export type Call<Paths extends object, Method extends HttpMethod> = <
  Path extends PathsWithMethod<Paths, Method>,
  Init extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>,
>(
  path: Path,
  ...init: Given<Init>
) => Promise<Success<Paths[Path][Method & keyof Paths[Path]]>>;

/** The operations of a generation, by method and documented path. */
export interface Calls<Paths extends object> {
  readonly GET: Call<Paths, 'get'>;
  readonly POST: Call<Paths, 'post'>;
  readonly PUT: Call<Paths, 'put'>;
  readonly PATCH: Call<Paths, 'patch'>;
  readonly DELETE: Call<Paths, 'delete'>;
}
