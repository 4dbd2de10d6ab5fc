import type { JsonObject } from '../../core/json.ts';
import type { Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target/target.ts';
import { type SessionObservation, runTask } from '../common/scenarios-part-observed-session.ts';

/** One task with every option whose request name the target file gives. */
export const equippedSession: Scenario<SessionObservation> = {
  name: 'equipped-session',
  creates: 'one V3 session with a cost ceiling, a mailbox and a proxy country',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  drive: (drive) => drive.live(() => runTask(drive, equippedBody(drive.target))),
};

/** Proxy country that the equipped session asks for. */
export const equippedCountry = 'us';

function equippedBody({ v3, tasks, limits }: Target): JsonObject {
  const body: JsonObject = { task: tasks.succeed, keepAlive: false };
  if (v3 === null) return body;
  const { maxCostUsd, inbox, proxyCountryCode, profileId, workspaceId } = v3.members;
  const options: [string | null, JsonObject[string] | null][] = [
    [maxCostUsd, limits.ceilingUsd],
    [inbox, true],
    [proxyCountryCode, equippedCountry],
    [profileId, v3.existing.profileId],
    [workspaceId, v3.existing.workspaceId],
  ];
  for (const [member, value] of options) if (member !== null && value !== null) body[member] = value;
  return body;
}
