import type { Integration, IntegrationSummary, TaskIntegrations } from '#agent/integrations/integration.ts';
import { addUsedIntegration } from '#store/queries/integrations.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from './engine-deps.ts';

/** Returns the integrations that the project of a session may use, as an agent sees them. */
export function listIntegrations(engine: EngineState, session: SessionRow): readonly IntegrationSummary[] {
  const found: readonly Integration[] = engine.integrations?.list(session.project_id) ?? [];
  return found.map(({ name, description }) => ({ name, description }));
}

/**
 * Creates access of a task to integrations; null when its project may use none. An integration whose tool was called is
 * recorded in the session, also when the tool has failed.
 */
export function createTaskIntegrations(
  engine: EngineState,
  session: SessionRow,
  signal: AbortSignal,
): TaskIntegrations | null {
  const { integrations, db } = engine;
  const projectId = session.project_id;
  if (integrations === null || integrations.list(projectId).length === 0) return null;
  return {
    tools: (name) => integrations.tools({ projectId, name, signal }),
    call: (name, call) =>
      integrations.call({ projectId, name, signal, onReached: () => addUsedIntegration(db, session.id, name) }, call),
  };
}
