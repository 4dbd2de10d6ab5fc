/*
 * The script of the live view's page: it runs in the viewer's browser and nowhere else. It shows the pictures that come over a
 * websocket, sends back what the viewer does to them, and connects again when the connection is lost.
 * `npm run generate` puts the modules of this folder into one text, generated/live-view.ts, which the page holds: they import
 * nothing but each other and types. The page's elements are written in src/api/public/live-page.ts.
 */
import { start } from './start.ts';

start();
