import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleIntegration, ConsoleIntegrationTest } from '#contract/console-messages.ts';
import { useAction, useSession } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import { FaultNotice } from '../parts/facts.tsx';
import { Field, onFormSubmit } from '../parts/fields.tsx';

const everyMs = 30_000;
const path = 'console/api/integrations';

/** Integrations that agents of the project can use, with a test of each. */
export function IntegrationsPage(): JSX.Element {
  const { api } = useSession();
  const { value, fault, refresh } = usePoll(path, () => api.call<ConsoleIntegration[]>('GET', path), everyMs);
  return (
    <>
      <h1>Integrations</h1>
      <FaultNotice fault={fault} />
      {value?.length === 0 && <p class="quiet">The operator configures none (--integrations).</p>}
      {value?.map((integration) => (
        <IntegrationCard key={integration.name} integration={integration} onChanged={refresh} />
      ))}
    </>
  );
}

interface Shown {
  readonly integration: ConsoleIntegration;
  readonly onChanged: () => Promise<void>;
}

/** One integration with its secrets and its test. */
function IntegrationCard({ integration, onChanged }: Shown): JSX.Element {
  const { api } = useSession();
  const { run, isBusy, fault } = useAction();
  const [tested, setTested] = useState<ConsoleIntegrationTest | null>(null);
  const { name, description, secrets } = integration;
  const change = async (secret: string, method: 'PUT' | 'DELETE', body?: object): Promise<void> => {
    await api.call(method, `${path}/${name}/secrets/${secret}`, body);
    await onChanged();
  };
  return (
    <section class="card" aria-labelledby={name}>
      <h2 id={name}>{name}</h2>
      <p>{description}</p>
      {secrets.map((secret) => (
        <SecretForm
          key={secret.name}
          secret={secret}
          isBusy={isBusy}
          onSubmit={onFormSubmit(run, ({ text }) => change(secret.name, 'PUT', { value: text('value') }))}
          onRemove={() => void run(() => change(secret.name, 'DELETE'))}
        />
      ))}
      <button
        type="button"
        disabled={isBusy}
        onClick={() => void run(async () => setTested(await api.call('POST', `${path}/${name}/test`)))}
      >
        Test {name}
      </button>
      <FaultNotice fault={fault} />
      {tested !== null && <TestResult tested={tested} />}
    </section>
  );
}

/** The tools of an integration, or why they could not be listed. */
function TestResult({ tested: { tools, error, tookMs } }: { readonly tested: ConsoleIntegrationTest }): JSX.Element {
  return (
    <div role="status">
      <p>{error === null ? `${tools.length} tools in ${tookMs} ms` : `Failed after ${tookMs} ms: ${error}`}</p>
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>
            <code>{tool.name}</code> {tool.description}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface SecretProps {
  readonly secret: ConsoleIntegration['secrets'][number];
  readonly isBusy: boolean;
  readonly onSubmit: ReturnType<typeof onFormSubmit>;
  readonly onRemove: () => void;
}

/** Form that stores or removes a secret of an integration. */
function SecretForm({ secret: { name, isStored }, isBusy, onSubmit, onRemove }: SecretProps): JSX.Element {
  return (
    <form class="inline" onSubmit={onSubmit}>
      <Field label={name} hint={isStored ? 'Stored' : 'Missing'}>
        <input name="value" type="password" required minLength={4} autoComplete="off" />
      </Field>
      <button type="submit" disabled={isBusy}>
        Store
      </button>
      {isStored && (
        <button type="button" disabled={isBusy} onClick={onRemove}>
          Remove
        </button>
      )}
    </form>
  );
}
