import type { Logger } from 'pino';
import { createIntegrationSecrets, type IntegrationSecrets } from '#accounts/integration-secrets.ts';
import { createIntegrations, type Integrations } from '#agent/integrations/connections.ts';
import type { Integration } from '#agent/integrations/integration.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Vault } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';

/** Integrations of a service, and the secrets that its projects have stored for them. */
export interface OpenIntegrations {
  /** The integrations; null if the operator configures none. */
  readonly integrations: Integrations | null;
  readonly integrationSecrets: IntegrationSecrets;
}

/** Settings of the integrations of a service. */
export interface IntegrationsOptions {
  /** Integrations of the operator. @defaultValue none */
  readonly configuredIntegrations?: readonly Integration[];
  readonly rules: RuleBook;
  readonly log: Logger;
}

/** Creates the integrations of a service. Nothing starts before their first use. */
export function openIntegrations(
  { configuredIntegrations: configured = [], rules, log }: IntegrationsOptions,
  { db, vault }: { readonly db: Database; readonly vault: Vault },
): OpenIntegrations {
  const integrationSecrets = createIntegrationSecrets(db, vault);
  if (configured.length === 0) return { integrations: null, integrationSecrets };
  const integrations = createIntegrations({
    integrations: configured,
    bounds: {
      tools: getLimit(rules, 'integrationTools'),
      listBytes: getLimit(rules, 'integrationListBytes'),
      answerBytes: getLimit(rules, 'integrationAnswerBytes'),
      connectMs: getLimit(rules, 'integrationConnect'),
      callMs: getLimit(rules, 'integrationCall'),
      idleMs: getLimit(rules, 'integrationIdle'),
      connections: getLimit(rules, 'integrationConnections'),
    },
    secrets: (projectId, { name }) => integrationSecrets.read({ projectId, integration: name }),
    log,
  });
  return { integrations, integrationSecrets };
}
