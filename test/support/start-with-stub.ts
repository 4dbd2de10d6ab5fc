import { type ProviderStub, startProviderStub } from '#conformance/provider-stub/index.ts';
import { createProviders } from '#agent/providers/create-providers.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { withProviderKeys } from '../../src/cli/admin/admin-database.ts';
import { createAgent } from '../../src/cli/serve/create-agent.ts';
import { type StartedBackend, startBackend } from './start-backend.ts';

/** A reference backend with one stub in place of every model provider. */
export interface StartedWithStub extends StartedBackend {
  readonly stub: ProviderStub;
}

/** Key of a provider that the first project has stored in the service. Other projects have stored no key. */
export const storedKey = { provider: 'google', key: 'stored-key-of-the-caller-wxyz' } as const;

/** Last characters of the stored key of each provider, in the form in which a target file specifies them. */
export const ownKeyEndings: Readonly<Record<string, string>> = { [storedKey.provider]: storedKey.key.slice(-4) };

/** Starts a reference backend with simulated browsers and a stub as every model provider. */
export async function startWithStub(rules: RuleBook = defaultRules): Promise<StartedWithStub> {
  const stub = await startProviderStub({ host: '127.0.0.1', port: 0, script: null, ownKeyEndings });
  const started = await startBackend({
    rules,
    agent: createAgent(rules, { testTasks: true }),
    models: stubbedModels(rules, stub.address),
    activeSessionsMax: 25,
  });
  const data = { data: started.dataFolder, project: 'project of svc_test' };
  await withProviderKeys(data, (keys, projectId) => keys.set(projectId, { ...storedKey, nowMs: started.clock.now() }));
  return {
    ...started,
    stub,
    async stop() {
      await started.stop();
      await stub.close();
    },
  };
}

/** Creates providers that send all calls to a stub. */
export function stubbedModels(rules: RuleBook, address: string): ReturnType<typeof createProviders> {
  const rows = rules.providers.providers.map(({ provider, api }) => {
    const baseUrl = `${address}${api === 'openai-responses' || api === 'chat-completions' ? '/v1' : ''}`;
    // The cloud route offers every model. A stored key needs a direct route, which here leads to the stub too.
    const route = provider === storedKey.provider ? 'direct' : 'cloud';
    return [provider, { apiKey: `key-of-the-service-for-${provider}`, baseUrl, route }] as const;
  });
  return createProviders({
    rules,
    table: new Map(rows),
    wait: () => Promise.resolve(),
    random: () => 0.5,
    now: () => 0,
    report: () => undefined,
  });
}
