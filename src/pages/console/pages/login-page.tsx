import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ConsoleNewLogin } from '#contract/console-messages.ts';
import { type Api, Refusal } from '../api/create-api.ts';
import { useAction } from '../api/hooks.ts';
import { FaultNotice } from '../parts/facts.tsx';
import { Field, onFormSubmit } from '../parts/fields.tsx';
import { loginSecret } from '../place.ts';

/** Login by an API key or a one-time link. */
export function LoginPage(props: {
  readonly api: Api;
  readonly onLogin: (login: ConsoleNewLogin) => void;
}): JSX.Element {
  const { api, onLogin } = props;
  const { run, isBusy, fault } = useAction();
  const enter = async (entry: { readonly key: string } | { readonly link: string }): Promise<void> => {
    api.setToken('');
    onLogin(await api.call<ConsoleNewLogin>('POST', 'console/api/login', entry));
  };
  const [link, setLink] = useState(() => loginSecret(location.hash));
  useLayoutEffect(() => {
    document.title = 'Log in · Console';
    // Removed from the URL and the history at once.
    if (link !== null) history.replaceState(null, '', location.pathname);
  }, []);
  const follow = async (given: string): Promise<void> => {
    try {
      await enter({ link: given });
    } catch (error) {
      // Without a response, the link can be used again.
      if (!(error instanceof Refusal && error.status === 0)) setLink(null);
      throw error;
    }
  };
  // Any page can send a user to a link for a project of another party, so the page asks before it uses the link.
  if (link !== null)
    return (
      <main class="login">
        <form class="card" onSubmit={onFormSubmit(run, () => follow(link))}>
          <h1>Console</h1>
          <p>This link logs you in to a project. Continue only if you requested it.</p>
          <FaultNotice fault={fault} />
          <button type="submit" class="primary" disabled={isBusy}>
            Log in by the link
          </button>
        </form>
      </main>
    );
  return (
    <main class="login">
      <form class="card" onSubmit={onFormSubmit(run, ({ text }) => enter({ key: text('key') }))}>
        <h1>Console</h1>
        <p>Tasks, browsers and costs of this service.</p>
        <Field
          label="API key"
          hint="The service prints a key at its first start; svc admin key create creates another one"
        >
          <input name="key" type="password" required autoComplete="off" spellcheck={false} />
        </Field>
        <FaultNotice fault={fault} />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
        <p class="hint">
          Without a key: <code>svc admin login-link</code> prints a link for one login, which may also change credit and
          limits. The interface for programs is in the <a href="docs">API reference</a>.
        </p>
      </form>
    </main>
  );
}
