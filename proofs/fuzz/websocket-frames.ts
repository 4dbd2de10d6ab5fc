import type { Draw } from '../draw.ts';
import { utf8 } from './odd-bodies.ts';
import { oddText } from './odd-texts.ts';

const opcodes = [0, 1, 1, 1, 1, 2, 8, 9, 10, 3, 7, 11, 15] as const;

/** Messages for DevTools or live view connections, valid and nearly valid ones. */
const messages: readonly ((draw: Draw) => string)[] = [
  () => '{"id":1,"method":"Browser.getVersion"}',
  () => '{"id":2,"method":"Target.getTargets"}',
  () => '{"id":3,"method":"Target.createTarget","params":{"url":"about:blank"}}',
  () => '{"id":4,"method":"Target.attachToTarget","params":{"targetId":"x","flatten":true}}',
  () => '{"id":5,"method":"Browser.close"}',
  () => '{"id":6,"method":"Page.navigate","params":{"url":"file:///etc/passwd"}}',
  () => '{"id":-1,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"none"}',
  (draw) => `{"id":${draw.of(['1e999', '"x"', 'null', '9007199254740993', '[]'])},"method":"Target.getTargets"}`,
  (draw) => JSON.stringify({ id: draw.below(1000), method: oddText(draw), params: { [oddText(draw)]: oddText(draw) } }),
  () => '{"type":"mouse","action":"down","button":"left","buttons":1,"clicks":1,"x":1,"y":1,"modifiers":0}',
  (draw) =>
    JSON.stringify({
      type: draw.of(kinds),
      action: 'down',
      x: draw.of([1, 1e308, null, 'x']),
      y: -1,
      text: oddText(draw),
      url: oddText(draw),
    }),
  (draw) => '['.repeat(draw.of([1, 199, 201, 5000])),
  (draw) => 'x'.repeat(draw.of([0, 125, 126, 65_535, 65_536])),
  () => '\xff\xfe\xc3\x28',
];

/** Message types of live view clients. */
const kinds = [
  'mouse',
  'wheel',
  'key',
  'text',
  'touch',
  'tab',
  'open',
  'close',
  'resize',
  'copy',
  'dialog',
  'shown',
  'x',
] as const;

/** Creates websocket frames after a handshake, valid and invalid ones. */
export function websocketFrames(draw: Draw): string {
  return draw.list([1, 6], () => frame(draw)).join('');
}

function frame(draw: Draw): string {
  const payload = utf8(draw.of(messages)(draw).toWellFormed());
  const opcode = draw.of(opcodes);
  const first = (draw.chance(0.85) ? 0x80 : 0) | (draw.chance(0.04) ? draw.of([0x10, 0x20, 0x40, 0x70]) : 0) | opcode;
  const isMasked = draw.chance(0.93);
  const said = draw.chance(0.05) ? draw.of([0, 2 ** 31, 2 ** 53, 1]) : payload.length;
  const head = Buffer.from([first, ...getLength(said, isMasked ? 0x80 : 0)]).toString('latin1');
  // A mask of zeros leaves the payload readable.
  return head + (isMasked ? '\x00\x00\x00\x00' : '') + payload;
}

function getLength(length: number, flag: number): number[] {
  if (length < 126) return [flag | length];
  if (length < 65_536) return [flag | 126, length >> 8, length & 0xff];
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return [flag | 127, ...bytes];
}
