import type { JSX } from 'preact';
import type { ConsoleKey } from '../../../contract/console-messages.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

/** One key, as it may be shown. */
export function KeyRow(props: {
  readonly row: ConsoleKey;
  readonly isBusy: boolean;
  readonly onRevoke: () => void;
}): JSX.Element {
  const { prefix, name, state, createdAt, lastUsedAt, expiresAt } = props.row;
  return (
    <tr>
      <th scope="row" class="wrap">
        {name ?? 'Unnamed key'}
      </th>
      <td class="mono" data-label="Key">
        {prefix}…
      </td>
      <td data-label="State">
        <StatusBadge status={state} />
      </td>
      <td data-label="Created">
        <TimeAgo at={createdAt} />
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'never' : <TimeAgo at={lastUsedAt} />}</td>
      <td data-label="Expires">{expiresAt === null ? 'never' : expiresAt.slice(0, 10)}</td>
      <td class="actions">
        {state === 'active' && (
          <ConfirmButton
            label="Revoke"
            name={`Revoke ${name ?? prefix}`}
            title={name === null ? `Revoke the key ${prefix}…?` : `Revoke the key “${name}” (${prefix}…)?`}
            isBusy={props.isBusy}
            onConfirm={props.onRevoke}
          >
            Programs that use this key, and logins by it, are refused from their next request on. Tasks and browsers
            that they started continue.
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}
