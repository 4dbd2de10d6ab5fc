import { createHash } from 'node:crypto';
import { mock } from '#generated/rules.ts';
import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { Route } from '#contract/http-messages.ts';
import type { ParsedRequest } from '#operations/operation.ts';

/** A kind of id, such as a session id, with the ids that the examples of the documents contain. */
export type IdRow = (typeof mock.ids)[number];

/** An id in a request, with its kind. */
export interface NamedId {
  readonly row: IdRow;
  /** The id in lower case, as in responses. */
  readonly id: string;
}

/** Names of body members that contain the id of a record, with the corresponding path parameters. */
const members = { sessionId: 'session_id', workspaceId: 'workspace_id', profileId: 'profile_id' } as const;

/** Returns the ids of records in the path and then in the body of a request. Omits other parameters, such as names. */
export function idsIn(
  route: Pick<Route, 'id'>,
  { path, body }: Pick<ParsedRequest, 'path' | 'body'>,
): readonly NamedId[] {
  const inBody = isJsonObject(body) ? body : {};
  const given: readonly (readonly [string, JsonValue | undefined])[] = [
    ...Object.entries(path),
    ...Object.entries(members).map(([member, parameter]) => [parameter, inBody[member]] as const),
  ];
  return given.flatMap(([parameter, value]) => {
    const row = mock.ids.find((one) => one.parameter === parameter && (one.operation ?? route.id) === route.id);
    return row === undefined || typeof value !== 'string' ? [] : [{ row, id: value.toLowerCase() }];
  });
}

/** Returns the refusal of the first id that occurs in no example and is not remembered; null if every id is known. */
export function refuseUnknown(ids: readonly NamedId[], isRemembered: (id: string) => boolean): Problem | null {
  const unknown = ids.find(({ row, id }) => !row.values.some((value) => value === id) && !isRemembered(id));
  return unknown === undefined ? null : problem(unknown.row.problem, {});
}

/** Returns a UUID that is derived from a text. Equal texts give equal ids. */
export function derivedId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
