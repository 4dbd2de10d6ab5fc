import { type Draw, createDraw } from '../draw.ts';
import { callHeaders } from './call-headers.ts';
import { drawCall } from './draw-call.ts';
import { drawRaw } from './draw-raw.ts';
import { type CallRequest, type FuzzedRequest, placeholder } from './fuzzed-request.ts';

const rawShare = 0.2;
const signedShare = 0.06;

/** Request number `index` of a seed: the same whenever it is asked for, whatever was sent before. */
export function drawRequest(seed: number, index: number): FuzzedRequest {
  const draw = createDraw(seed + Math.imul(index + 1, 0x9e3779b1));
  if (draw.chance(rawShare)) return drawRaw(draw);
  return draw.chance(signedShare) ? drawSigned(draw) : drawCall(draw);
}

/** A request at an address that carries its own right, as it was given or altered. */
function drawSigned(draw: Draw): CallRequest {
  const isUpload = draw.chance(0.5);
  const alterations = ['', '', '', '', '&x=1', '0', '&expires=9999999999999', '%00', '#x'];
  const path = placeholder(isUpload ? 'upload' : 'signed', draw.below(64)) + draw.of(alterations);
  const method = draw.chance(0.9) ? (isUpload ? 'PUT' : 'GET') : draw.of(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']);
  const body = method === 'GET' || method === 'HEAD' ? null : 'x'.repeat(draw.of([0, 1, 3, 1000, 1001]));
  const headers = callHeaders(draw, { hasKey: draw.chance(0.1), hasBody: false });
  const type = draw.of(['application/octet-stream', 'text/plain', 'image/png', 'none', ';']);
  return {
    kind: 'call',
    operation: null,
    method,
    path,
    headers: body === null ? headers : [...headers.filter(([name]) => name !== 'content-type'), ['content-type', type]],
    body,
    hasKey: true,
  };
}
