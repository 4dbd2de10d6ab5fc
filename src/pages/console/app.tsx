import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { ConsoleLogin, ConsoleNewLogin } from '#contract/console-messages.ts';
import { createApi } from './api/create-api.ts';
import { type Session, SessionContext } from './api/hooks.ts';
import { Frame } from './frame.tsx';
import { LoginPage } from './pages/login-page.tsx';
import { Loading } from './parts/facts.tsx';
import { loginSecret } from './place.ts';

type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'out' }
  | { readonly kind: 'in'; readonly login: ConsoleLogin };

/** The console: the login page, or the frame with its parts. */
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
  useEffect(() => {
    // A login link is used also when a login exists.
    if (loginSecret(location.hash) !== null || !api.hasToken()) setState({ kind: 'out' });
    else api.call<ConsoleLogin>('GET', 'console/api/login').then(enter, () => setState({ kind: 'out' }));
  }, [api, enter]);

  if (state.kind === 'starting') return <Loading />;
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
