import { createServer } from 'node:http';
import type { Draw } from '../../draw.ts';
import type { EntryPoint, WatchedService } from '../watched-service.ts';
import { calling, finishing, sendJson } from '../model-script.ts';
import { type WorstPage, worstPage } from '../worst-pages.ts';
import { openCalls, runTask } from './calls.ts';

/** Entry points for web pages that the agent opens and reads in a real browser. */
export const pages: readonly EntryPoint[] = [
  {
    name: 'pages that the planner reads',
    service: 'chromium',
    async open(service) {
      const site = await startSite(service);
      const send = openCalls(service);
      return (draw) => {
        site.show(worstPage(draw));
        const task = `Open ${site.address}/a and ${draw.of(readings)}`;
        return runTask(send, 'v4', { task, model: 'gemini-3-flash' });
      };
    },
  },
  {
    name: 'pages that a model is shown',
    service: 'chromium',
    async open(service) {
      const site = await startSite(service);
      const send = openCalls(service);
      return (draw) => {
        site.show(worstPage(draw));
        useModel(service, site.address, draw);
        return runTask(send, 'v4', { task: 'Read the page', model: 'gpt-5.6-luna' });
      };
    },
  },
];

const readings = [
  'tell me the title',
  'list the links',
  'list the headings',
  'list the tables',
  'tell me the text',
  "click 'a'",
  'scroll down',
];

/** Lets the model open the page, read it in some way, and finish. */
function useModel({ model }: WatchedService, address: string, draw: Draw): void {
  const look = draw.of([
    ['find', '{"text":"a"}'],
    ['look', '{"part":2}'],
    ['screenshot', '{}'],
    ['scroll', '{"direction":"down"}'],
    ['wait', '{"seconds":1}'],
  ]);
  let calls = 0;
  model.use((path, response) => {
    calls += 1;
    if (calls === 1) return sendJson(response, calling(path, 'navigate', JSON.stringify({ url: `${address}/a` })));
    const [name = '', input = ''] = look;
    sendJson(response, calls === 2 ? calling(path, name, input) : finishing(path));
  });
}

/** Starts a web server that answers every path with the current page. */
async function startSite(service: WatchedService): Promise<{ readonly address: string; show(page: WorstPage): void }> {
  let shown: WorstPage = { body: 'a' };
  const server = createServer((request, response) => {
    request.resume();
    const { status = 200, headers = {}, body } = shown;
    response.on('error', () => undefined);
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('expected a port');
  service.owned.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${place.port}`, show: (page) => void (shown = page) };
}
