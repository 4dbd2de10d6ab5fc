// oxlint-disable-next-line import/no-unassigned-import -- it works by being loaded first
import './known-language.ts';
import { render } from 'preact';
import { App } from './app.tsx';
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a file of its own of it
import './style.css';

/*
 * The page of the console. It runs in a browser, speaks with the service over HTTP alone, and imports nothing of it but types and generated
 * ones. Must not keep anything in the browser but the token of the login, without which its cookie opens nothing.
 */
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
