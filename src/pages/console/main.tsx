// oxlint-disable-next-line import/no-unassigned-import -- it works by being loaded first
import './known-language.ts';
import { render } from 'preact';
import { App } from './app.tsx';
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a file of its own of it
import './style.css';

/*
 * Entry point of the console. It runs in a browser and reaches the service only over HTTP. Of the code of the service
 * it imports only types, generated modules and the messages of `src/contract/console-messages.ts`. It must store
 * nothing in the browser but the token of the login, which is useless without its cookie.
 */
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
