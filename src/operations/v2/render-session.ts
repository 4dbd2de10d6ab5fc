import type { components } from '#generated/v2.ts';
import { endStates } from '#contract/lifecycle.ts';
import { bytesToMegabytes, microsToDecimal } from '#contract/money.ts';
import type { Caller } from '../common/caller.ts';
import { recordingAddresses } from '../common/addresses.ts';
import type { ShareRow } from '#accounts/shares/index.ts';
import type { RecordingRow } from '#store/recordings.ts';
import type { RunOfSession } from '#store/runs.ts';
import type { SessionRow } from '#store/sessions.ts';
import { renderItem } from './render-task.ts';

type Schemas = components['schemas'];

/** The V2 record of a session, as lists show it (companion 5.5): whatever ended it, it is stopped. */
export function renderSession(session: SessionRow, { engine, rules, addresses }: Caller): Schemas['SessionItem'] {
  const hasEnded = endStates(rules.lifecycle, 'session').includes(session.status);
  return {
    id: session.id,
    status: hasEnded ? 'stopped' : 'active',
    liveUrl: hasEnded ? null : addresses.live(session),
    recordingUrl: null,
    startedAt: new Date(session.created_at).toISOString(),
    // Nothing is written to a session that has ended.
    finishedAt: hasEnded ? new Date(session.updated_at).toISOString() : null,
    persistMemory: session.persist_memory === 1,
    keepAlive: session.keep_alive === 1,
    proxyUsedMb: bytesToMegabytes(engine.meters(session).proxyBytes),
    proxyCost: microsToDecimal(engine.costs(session).proxy),
  };
}

/** A session with its tasks, oldest first. */
export interface SessionWithTasks {
  readonly session: SessionRow;
  readonly tasks: readonly RunOfSession[];
  readonly share: ShareRow | null;
  readonly recordings: readonly RecordingRow[];
}

/** A session and all its tasks as they are now. */
export async function withTasks(
  session: SessionRow,
  { engine, shares, recordings }: Caller,
): Promise<SessionWithTasks> {
  const [tasks, share] = [await engine.runsIn(session), await shares.find(session.id)];
  return { session, tasks, share, recordings: await recordings.of(session.id) };
}

/** The V2 record of a session with its tasks (companion 5.5). */
export function renderDetail({ session, tasks, share, recordings }: SessionWithTasks, caller: Caller): unknown {
  const rendered = renderSession(session, caller);
  // A part may be there before: a worker died with the browser that it shows.
  const hasEnded = rendered.status === 'stopped';
  return {
    ...rendered,
    recordingUrl: hasEnded ? (recordingAddresses(recordings, caller.addresses).at(-1) ?? null) : null,
    tasks: tasks.map((task) => renderItem(task, caller)),
    publicShareUrl: share === null ? null : caller.addresses.share(share).url,
  };
}
