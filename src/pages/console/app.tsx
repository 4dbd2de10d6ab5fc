import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { ConsoleLogin, ConsoleNewLogin } from '#contract/console-messages.ts';
import { createApi } from './api/create-api.ts';
import { type Session, SessionContext } from './api/hooks.ts';
import { Frame } from './frame.tsx';
import { LoginPage } from './pages/login-page.tsx';
import { FaultNotice, Loading } from './parts/facts.tsx';
import { loginSecret } from './place.ts';

type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'out' }
  | { readonly kind: 'failed'; readonly fault: Error }
  | { readonly kind: 'in'; readonly login: ConsoleLogin };

/** The console: the login page, the frame with its parts, or the reason why the stored login cannot be read. */
export function App(): JSX.Element {
  const [state, setState] = useState<State>({ kind: 'starting' });
  const [said, setSaid] = useState({ text: '', count: 0 });
  const say = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  const api = useMemo(() => createApi(() => setState({ kind: 'out' })), []);
  const [linksFollowed, setLinksFollowed] = useState(0);
  const enter = useCallback((login: ConsoleLogin) => setState({ kind: 'in', login }), []);
  const open = ({ csrf, ...login }: ConsoleNewLogin): void => {
    api.setToken(csrf);
    enter(login);
  };

  useEffect(() => {
    // Opening a link in a tab with the console only changes the hash.
    const follow = (): void => {
      if (loginSecret(location.hash) === null) return;
      setLinksFollowed((count) => count + 1);
      setState({ kind: 'out' });
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const start = useCallback(() => {
    setState({ kind: 'starting' });
    api.call<ConsoleLogin>('GET', 'console/api/login').then(enter, (fault: Error) => {
      // Without a token, the login has ended.
      if (api.hasToken()) setState({ kind: 'failed', fault });
    });
  }, [api, enter]);
  useEffect(() => {
    // A login link is used also when a login exists.
    if (loginSecret(location.hash) !== null || !api.hasToken()) setState({ kind: 'out' });
    else start();
  }, [api, start]);

  if (state.kind === 'starting') return <Loading />;
  if (state.kind === 'failed')
    return <StartFault fault={state.fault} onRetry={start} onLogin={() => setState({ kind: 'out' })} />;
  if (state.kind === 'out') return <LoginPage key={linksFollowed} api={api} onLogin={open} />;
  const session: Session = {
    api,
    login: state.login,
    say,
    enter,
    refresh: async () => enter(await api.call<ConsoleLogin>('GET', 'console/api/login')),
    async logOut() {
      await api.call('DELETE', 'console/api/login');
      api.setToken('');
      setState({ kind: 'out' });
    },
  };
  return (
    <SessionContext.Provider value={session}>
      <Frame key={state.login.project.id} said={said} />
    </SessionContext.Provider>
  );
}

/** Shows why the stored login cannot be read. The login stays stored until another one replaces it. */
function StartFault(props: {
  readonly fault: Error;
  readonly onRetry: () => void;
  readonly onLogin: () => void;
}): JSX.Element {
  return (
    <main class="login">
      <section class="card">
        <h1>Console</h1>
        <FaultNotice fault={props.fault} />
        <div class="buttons">
          <button type="button" class="primary" onClick={props.onRetry}>
            Try again
          </button>
          <button type="button" onClick={props.onLogin}>
            Log in
          </button>
        </div>
      </section>
    </main>
  );
}
