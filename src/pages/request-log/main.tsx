import { render } from 'preact';
import { App } from './app.tsx';
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a file of its own of it
import './style.css';

/*
 * Entry point of the request log. It runs in a browser, reads the stream of calls from its mock, and imports only
 * types. It must store nothing in the browser.
 */
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
