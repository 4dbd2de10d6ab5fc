import { describe, expect, it } from 'vitest';
import type { Send } from '../../core/request.ts';
import { parseJson } from '../../core/json.ts';
import { CdpFault } from './cdp-fault.ts';
import { webSocketAddress } from './create-cdp.ts';

const discovered = '{"webSocketDebuggerUrl":"wss://b1.example/x"}';

/**
 * Creates a `send` function that answers every request with a status and a body. It adds each requested URL to `asked`.
 */
function answering(status: number, body: string): { send: Send; asked: string[] } {
  const asked: string[] = [];
  const send: Send = async ({ path, generation, operation, method }) => {
    asked.push(path);
    const request = { method, url: path, headers: {} };
    const kept = { index: 0, sentBy: 'test', atMs: 0, durationMs: 0, headers: {}, request };
    return { ...kept, generation, operation, status, body, json: parseJson(body) };
  };
  return { send, asked };
}

describe('the websocket address behind a cdpUrl', () => {
  it.each(['ws://127.0.0.1:1/devtools/browser/x', 'wss://cdp.example/devtools/browser/x?token=1'])(
    'is %s itself, without a request',
    async (address) => {
      const { send, asked } = answering(500, '');
      expect(await webSocketAddress(address, send)).toBe(address);
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['https://b1.example', 'https://b1.example/json/version'],
    ['https://b1.example/', 'https://b1.example/json/version'],
    ['http://b1.example/one/?token=2', 'http://b1.example/one/json/version?token=2'],
  ])('is what discovery below %s names', async (cdpUrl, asks) => {
    const { send, asked } = answering(200, discovered);
    expect(await webSocketAddress(cdpUrl, send)).toBe('wss://b1.example/x');
    expect(asked).toEqual([asks]);
  });

  it.each([
    { cdpUrl: 'nowhere', message: 'is no address' },
    { cdpUrl: 'ftp://b1.example', message: 'no protocol of a CDP address' },
    { cdpUrl: 'https://b1.example', status: 404, message: 'answered 404' },
    { cdpUrl: 'https://b1.example', body: '{"Browser":"Chrome"}', message: 'without a webSocketDebuggerUrl' },
    { cdpUrl: 'https://b1.example', body: '{"webSocketDebuggerUrl":"no address"}', message: 'no websocket address' },
    {
      cdpUrl: 'https://b1.example',
      body: '{"webSocketDebuggerUrl":"ws+unix:///s:/"}',
      message: 'no websocket address',
    },
    { cdpUrl: 'https://b1.example', body: '{"webSocketDebuggerUrl":"http://b2.example"}', message: 'no websocket' },
    { cdpUrl: 'https://b1.example', body: '<p>', message: 'without a webSocketDebuggerUrl' },
  ])('is a fault: $cdpUrl $message', async ({ cdpUrl, status = 200, body = discovered, message }) => {
    const address = webSocketAddress(cdpUrl, answering(status, body).send);
    await expect(address).rejects.toThrow(CdpFault);
    await expect(address).rejects.toThrow(message);
  });
});
