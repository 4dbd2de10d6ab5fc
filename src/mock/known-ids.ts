import { createHash } from 'node:crypto';
import { mock } from '#generated/rules.ts';
import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Problem, problem } from '#contract/problems.ts';
import type { Route } from '#contract/http-messages.ts';
import type { ParsedRequest } from '#operations/operation.ts';

/** A kind of id with the ids that the examples of the documents show. */
export type IdRow = (typeof mock.ids)[number];

/** An id in a request, with its kind. */
export interface NamedId {
  readonly row: IdRow;
  /** The id in lower case, as in responses. */
  readonly id: string;
}

/** Members of bodies that name a record, and the corresponding path parameters. */
const members = { sessionId: 'session_id', workspaceId: 'workspace_id', profileId: 'profile_id' } as const;

/** Returns the ids in the path and the body, in this order. Other parameters, such as names, are left out. */
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

/** Returns the refusal of the first id that is neither in an example nor remembered; null when all ids are known. */
export function refuseUnknown(ids: readonly NamedId[], isRemembered: (id: string) => boolean): Problem | null {
  const unknown = ids.find(({ row, id }) => !row.values.some((value) => value === id) && !isRemembered(id));
  return unknown === undefined ? null : problem(unknown.row.problem, {});
}

/** Returns an id that is derived from a text: equal texts have equal ids. */
export function derivedId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
