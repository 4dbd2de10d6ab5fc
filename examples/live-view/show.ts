import { createServer } from 'node:http';

/** Serves a page that shows the browser of a session while the agent works in it. */
const base = `${process.env['SERVICE_URL']}/api/v3`;
const headers = { 'X-Service-API-Key': process.env['SERVICE_API_KEY'] ?? '', 'Content-Type': 'application/json' };
const [task = 'Reply with the word ready', , port = '8090'] = process.argv.slice(2);

// The key stays in this program. The page gets only the URL of the live view, which contains its own access token.
const made = await fetch(`${base}/sessions`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ task, keepAlive: true, maxCostUsd: 0.5 }),
});
if (!made.ok) throw new Error(`${made.status} ${await made.text()}`);
const { id, liveUrl } = JSON.parse(await made.text());

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Live</title><iframe src="${liveUrl}" width="1280" height="800"
    allow="clipboard-read; clipboard-write" title="The browser of the session"></iframe>`);
});
server.listen(Number(port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}`));

process.once('SIGINT', () => {
  server.close();
  void fetch(`${base}/sessions/${id}/stop`, { method: 'POST', headers, body: '{}' });
});
