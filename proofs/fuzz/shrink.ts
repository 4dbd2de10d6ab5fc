import { type JsonObject, isJsonObject, parseJson } from '../../conformance/core/json.ts';
import type { CallRequest, FuzzedRequest } from './fuzzed-request.ts';

/** Maximum number of attempts per request. */
const attemptsMax = 60;

/** Returns the smallest request for which `fails` still returns true, by removing parts. */
export async function shrink(
  request: FuzzedRequest,
  fails: (smaller: FuzzedRequest) => Promise<boolean>,
): Promise<FuzzedRequest> {
  let smallest = request;
  let attempts = 0;
  for (let found = true; found; ) {
    found = false;
    for (const smaller of getSmaller(smallest)) {
      if ((attempts += 1) > attemptsMax) return smallest;
      if (!(await fails(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

function getSmaller(request: FuzzedRequest): FuzzedRequest[] {
  return request.kind === 'call'
    ? smallerCalls(request)
    : smallerPieces(request.pieces).map((pieces) => ({ ...request, pieces }));
}

function smallerCalls(call: CallRequest): CallRequest[] {
  const [path = ''] = call.path.split('?');
  return [
    ...(call.body === null ? [] : [{ ...call, body: null }]),
    ...(path === call.path ? [] : [{ ...call, path }]),
    ...call.headers.map((_header, at) => ({ ...call, headers: call.headers.toSpliced(at, 1) })),
    ...smallerBodies(call.body).map((body) => ({ ...call, body })),
  ];
}

function smallerBodies(body: string | null): string[] {
  if (body === null || body.length < 2) return [];
  const json = parseJson(body);
  if (!isJsonObject(json)) return [body.slice(0, body.length / 2), body.slice(body.length / 2)];
  return Object.keys(json).map((name) => JSON.stringify(without(json, name)));
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));
}

function smallerPieces(pieces: readonly string[]): string[][] {
  const whole = pieces.join('');
  if (pieces.length > 1) return [[whole]];
  if (whole.length < 2) return [];
  const lines = whole.split('\r\n');
  const withoutLines = lines.map((_line, at) => [lines.toSpliced(at, 1).join('\r\n')]);
  return [[whole.slice(0, whole.length / 2)], ...(lines.length > 1 && lines.length < 20 ? withoutLines : [])];
}
