import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { components } from '#generated/v4.ts';
import type { Caller } from '../common/caller.ts';
import type { DownloadRow, DownloadsWanted } from '#store/queries/downloads.ts';
import { cursorOf, pathOf } from '#accounts/workspaces/index.ts';
import { findBrowserOr404 } from './browsers.ts';

interface Wanted extends DownloadsWanted {
  readonly browserId: string;
  readonly includeUrls: boolean;
}

interface Listed {
  readonly rows: readonly DownloadRow[];
  readonly hasMore: boolean;
  readonly includeUrls: boolean;
}

/** GET /browsers/{id}/downloads (companion 4.8 and 7.1): while the browser runs and after its stop. */
export const listBrowserDownloads: Operation<Caller, Wanted, Listed> = {
  async decide(request, caller) {
    const browser = await findBrowserOr404(request, caller);
    if (isProblem(browser)) return browser;
    const { cursor, limit, includeUrls } = request.query;
    const behind = typeof cursor === 'string' ? pathOf(cursor) : null;
    if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
    return { browserId: browser.id, behind, limit: Number(limit), includeUrls: includeUrls === true };
  },
  apply: async ({ browserId, includeUrls, ...wanted }, { browsers }) => ({
    ...(await browsers.downloads(browserId, wanted)),
    includeUrls,
  }),
  render({ rows, hasMore, includeUrls }, { addresses }) {
    const last = rows.at(-1);
    return {
      status: 200,
      body: {
        files: rows.map((row) => renderDownload(row, includeUrls ? addresses.download(row.id) : null)),
        nextCursor: hasMore && last !== undefined ? cursorOf(last.path) : null,
        hasMore,
      },
    };
  },
};

function renderDownload(
  { path, size, finished_at }: DownloadRow,
  url: string | null,
): components['schemas']['BrowserDownload'] {
  return { path, size, lastModified: new Date(finished_at).toISOString(), url };
}
