// An adapter for `svc check-client`: runs the scenario SVC_SCENARIO with the client in this folder, and prints JSON.
import { askVersion, withBrowser } from './browser.mjs';
import { createClient } from './client.mjs';
import { exchangeFiles } from './files.mjs';
import { listRuns, listSessions, readEvents } from './reading.mjs';

const { SERVICE_API_URL: address, SERVICE_API_KEY: key, SVC_SCENARIO, SVC_INPUT } = process.env;
const input = JSON.parse(SVC_INPUT);
const client = createClient({ address, key, ...input });

// Ctrl-C stops all work that this program started.
const started = [];
process.once('SIGINT', () => Promise.allSettled(started.map(client.stop)).then(() => process.exit(130)));
async function start(json) {
  const id = await client.start(json);
  started.push(id);
  return id;
}

function show({ id, status, output, result, totalCostUsd, cost }) {
  return { id, status, output: output ?? result ?? null, cost: totalCostUsd ?? cost };
}

const scenarios = {
  run: async () => show(await client.end(await start(input.create))),
  'follow-up': async () => {
    const { id } = await client.end(await start(input.create));
    return show(await client.end(await start({ ...input.followUp, sessionId: id })));
  },
  read: () => client.read(input.id),
  stop: async () => {
    const id = await start(input.create);
    return { id, status: (await client.stop(id)).status };
  },
  events: async () => ({ events: await readEvents(client, await start(input.create), input.pollMs) }),
  list: async () => ({ ids: await (input.version === 'v3' ? listSessions : listRuns)(client, input.limit) }),
  files: () => exchangeFiles(client, input.files),
  browser: () => withBrowser(client, input.create, (cdpUrl) => askVersion(cdpUrl, input.rounds)),
};
console.log(JSON.stringify(await scenarios[SVC_SCENARIO]()));
