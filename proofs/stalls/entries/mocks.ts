import type { Draw } from '../../draw.ts';
import type { EntryPoint } from '../watched-service.ts';
import { worstBytes, worstJsonText, worstSchema } from '../worst-json.ts';
import { worstLength, worstText } from '../worst-texts.ts';
import { openCalls } from './calls.ts';

/**
 * Entry points of the mocks: requests, the request log with its judgements, and the control URL of the stateful mock.
 */
export const mocks: readonly EntryPoint[] = [
  {
    name: 'stateless mock: requests',
    service: 'stateless mock',
    async open(service) {
      const send = openCalls(service);
      return async (draw) => {
        const path = draw.of(['/api/v4/runs', '/api/v3/sessions', '/api/v2/tasks']);
        const prefer = {
          prefer: draw.of(['code=422', 'dynamic=true', worstText(draw, 4000).replaceAll(/[^ -~]/g, 'a')]),
        };
        const headers = draw.chance(0.3) ? prefer : {};
        return String((await send({ method: 'POST', path, body: getBody(draw), headers })).status);
      };
    },
  },
  {
    name: 'mock: requests and their log',
    service: 'mock',
    async open(service) {
      const send = openCalls(service);
      return async (draw) => {
        const { status } = await send({ method: 'POST', path: '/api/v4/runs', body: getBody(draw) });
        const log = await send({ method: 'GET', path: draw.of(['/log', '/log/calls', '/log/calls?after=0']) });
        return `${status}, ${log.status}`;
      };
    },
  },
  {
    name: 'mock: control address',
    service: 'mock',
    async open(service) {
      const send = openCalls(service, service.control);
      const sendCall = openCalls(service);
      return async (draw) => {
        await sendCall({ method: 'GET', path: `/api/v4/runs?${'a=b&'.repeat(draw.of([1, 3000]))}` });
        const path = draw.of(['/requests', '/state', '/clock', '/faults']);
        const isRead = path === '/requests' || path === '/state';
        const body = isRead ? {} : { body: worstJsonText(draw, worstBytes(draw, 1_000_000)) };
        return String((await send({ method: isRead ? 'GET' : 'POST', path, ...body })).status);
      };
    },
  },
];

function getBody(draw: Draw): string {
  if (draw.chance(0.3)) return worstJsonText(draw, worstBytes(draw, 1_000_000));
  const task = worstText(draw, worstLength(draw, 900_000));
  return JSON.stringify({ task, ...(draw.chance(0.4) ? { outputSchema: worstSchema(draw) } : {}) });
}
