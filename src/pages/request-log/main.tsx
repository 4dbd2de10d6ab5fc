import { render } from 'preact';
import { App } from './app.tsx';
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a file of its own of it
import './style.css';

/*
 * The page of the request log. It runs in a browser, reads the stream of calls of the mock that it came from, and imports nothing of it but
 * types. Must not keep anything in the browser.
 */
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
