import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { BrowserDownloadList } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { bytes } from '../format/bytes.ts';
import { ownPath } from '../format/own-path.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';

const everyMs = 10_000;

/** The newest files that a browser has downloaded; nothing where it has none. */
export function Downloads({ id }: { readonly id: string }): JSX.Element | null {
  const { api } = useSession();
  const path = `api/v4/browsers/${id}/downloads?limit=100&includeUrls=true`;
  const { value, fault } = usePoll(path, () => api.call<BrowserDownloadList>('GET', path), everyMs);
  if (fault !== null) return <FaultNotice fault={fault} />;
  if (value === undefined || value.files.length === 0) return null;
  return (
    <>
      <h3>Downloads</h3>
      <ul class="files">
        {value.files.map(({ path: name, size, url }) => (
          <li key={name}>
            {url ? <a href={ownPath(url, 2)}>{name}</a> : name} <span class="quiet">{bytes(size)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
