import { once } from 'node:events';
import { WebSocket } from 'ws';
import { toText, isJsonObject } from '#conformance/core/json.ts';
import type { Draw } from '../../draw.ts';
import type { EntryPoint, SendInput, WatchedService } from '../watched-service.ts';
import { worstJsonText } from '../worst-json.ts';
import { worstText } from '../worst-texts.ts';
import { openCalls } from './calls.ts';

/** Deadline of a response in milliseconds. */
const answerMs = 8000;

/** Entry points for websockets. */
export const sockets: readonly EntryPoint[] = [
  {
    name: 'DevTools messages',
    service: 'chromium',
    open: (service) => openSocket(service, 'cdpUrl', devToolsMessages),
  },
  { name: 'live view messages', service: 'chromium', open: (service) => openSocket(service, 'liveUrl', liveMessages) },
];

/** A function that returns the messages to send, one after the other. */
type Messages = (draw: Draw) => readonly (string | Buffer)[];

async function openSocket(service: WatchedService, member: string, messages: Messages): Promise<SendInput> {
  const send = openCalls(service);
  const made = await send({ method: 'POST', path: '/api/v4/browsers', body: '{}' });
  const url = isJsonObject(made.json) ? toText(made.json[member]) : '';
  const place = member === 'cdpUrl' ? url : `${url.replace(/^http/, 'ws')}/socket`;
  return async (draw) => {
    const socket = new WebSocket(place, { maxPayload: 2 ** 30 });
    let received = 0;
    socket.on('message', () => void (received += 1));
    socket.on('error', () => undefined);
    const closed = once(socket, 'close').then(([code]) => `closed with ${String(code)}`);
    if ((await Promise.race([once(socket, 'open').then(() => ''), closed])) !== '') return 'not opened';
    for (const message of messages(draw)) if (socket.readyState === socket.OPEN) socket.send(message);
    const over = new Promise<string>((resolve) => setTimeout(() => resolve('no answer'), answerMs).unref());
    const last = member === 'cdpUrl' ? answered(socket, draw) : ponged(socket);
    const how = await Promise.race([last, closed, over]);
    socket.terminate();
    return received > 0 && how === '' ? 'answered' : how || 'taken';
  };
}

/**
 * Sends a final request and waits for its response, which shows that all earlier messages were read. Returns an empty
 * text.
 */
async function answered(socket: WebSocket, draw: Draw): Promise<string> {
  const id = 900_000_000 + draw.below(1000);
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ id, method: 'Browser.getVersion' }));
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => data.length < 5000 && data.includes(`"id":${id}`) && resolve());
  });
  return '';
}

async function ponged(socket: WebSocket): Promise<string> {
  const pong = once(socket, 'pong');
  if (socket.readyState === socket.OPEN) socket.ping();
  await pong;
  return '';
}

const devToolsMost = 60_000_000;

const devToolsMessages: Messages = (draw) => {
  const size = draw.of([1000, 100_000, 1_000_000, 8_000_000, devToolsMost]);
  const command = (id: number, params: string): string =>
    `{"id":${id},"method":"${draw.of(['Runtime.evaluate', 'Target.setDiscoverTargets', 'Page.navigate', 'Browser.getVersion', 'X.y'])}","params":${params}}`;
  const ways: readonly Messages[] = [
    () => [worstJsonText(draw, size)],
    () => [command(1, worstJsonText(draw, size))],
    () => [command(1, `{"expression":${JSON.stringify(worstText(draw, size / 3))}}`)],
    () => [command(1, `{"expression":"'${'x'.repeat(size)}'","returnByValue":true}`)],
    () => Array.from({ length: draw.of([1000, 9000]) }, (_one, at) => command(at + 1, '{"discover":true}')),
    () => Array.from({ length: 2000 }, () => worstJsonText(draw, 300)),
    () =>
      Array.from({ length: 20 }, (_one, at) =>
        command(at + 1, `{"expression":"1","a":${worstJsonText(draw, size / 40)}}`),
      ),
    () => [Buffer.from(worstText(draw, size / 3))],
    () => [`{"id":1,"method":${JSON.stringify(worstText(draw, size / 3))}}`],
    () => [`{"id":1,"method":"Browser.getVersion","sessionId":${JSON.stringify(worstText(draw, size / 3))}}`],
    // Large responses of the browser come back through the same gateway.
    () => [
      command(1, `{"expression":"'x'.repeat(${size})","returnByValue":true}`).replace(
        /"method":"[^"]*"/,
        '"method":"Runtime.evaluate"',
      ),
    ],
  ];
  return draw.of(ways)(draw);
};

const liveMessages: Messages = (draw) => {
  const size = draw.of([1000, 100_000, 1_000_000, 1_048_570]);
  const ways: readonly Messages[] = [
    () => [worstJsonText(draw, size)],
    () => [`{"type":"text","text":${JSON.stringify(worstText(draw, size / 3))}}`],
    () => [`{"type":"touch","action":"start","modifiers":0,"points":${worstJsonText(draw, size - 100)}}`],
    () =>
      Array.from(
        { length: 3000 },
        (_one, at) =>
          `{"type":"mouse","action":"move","button":"none","buttons":0,"clicks":0,"modifiers":0,"x":${at},"y":${at}}`,
      ),
    () => Array.from({ length: 500 }, () => '{"type":"resize","width":800,"height":600}'),
    () => Array.from({ length: 500 }, () => '{"type":"copy"}'),
    () => Array.from({ length: 50 }, () => worstJsonText(draw, size / 50)),
    () => [Buffer.from(worstText(draw, size / 3))],
    () => [`{"type":${JSON.stringify(worstText(draw, size / 3))}}`],
  ];
  return draw.of(ways)(draw);
};
