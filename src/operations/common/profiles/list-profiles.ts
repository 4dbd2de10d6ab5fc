import type { Operation } from '../../operation.ts';
import type { ProfilePage, ProfileRow } from '#store/profiles.ts';
import type { Caller } from '../caller.ts';
import { renderProfile } from './render-profile.ts';

interface Found extends ProfilePage {
  readonly rows: readonly ProfileRow[];
  readonly total: number;
}

/** GET /profiles (companion 5.1), newest first. */
export const listProfiles: Operation<Caller, ProfilePage, Found> = {
  decide({ query: given }) {
    const { query } = given;
    return {
      pageNumber: Number(given['pageNumber']),
      pageSize: Number(given['pageSize']),
      query: typeof query === 'string' && query !== '' ? query : null,
    };
  },
  apply: async (page, { profiles, scope }) => ({ ...page, ...(await profiles.list(scope.projectId, page)) }),
  render: ({ rows, total, pageNumber, pageSize }) => ({
    status: 200,
    body: { items: rows.map(renderProfile), totalItems: total, pageNumber, pageSize },
  }),
};
