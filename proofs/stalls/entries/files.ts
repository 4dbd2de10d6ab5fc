import { type JsonObject, type JsonValue, isJsonObject, toText } from '#conformance/core/json.ts';
import type { Draw } from '../../draw.ts';
import type { EntryPoint } from '../watched-service.ts';
import { worstText } from '../worst-texts.ts';
import { type SendCall, getId, openCalls } from './calls.ts';

/** Entry points that receive or send file contents. */
export const files: readonly EntryPoint[] = [
  {
    name: 'upload forms',
    async open(service) {
      const send = openCalls(service);
      const session = getId((await send({ method: 'POST', path: '/api/v2/sessions', body: '{}' })).json, 'id');
      return async (draw) => {
        const wanted = { fileName: worstText(draw, 255) || 'a', contentType: 'text/plain', sizeBytes: 1000 };
        const path = `/api/v2/files/sessions/${session}/presigned-url`;
        const asked = { ...wanted, ...(draw.chance(0.7) ? { fileName: 'a.txt' } : {}) };
        const form = await send({ method: 'POST', path, body: JSON.stringify(asked) });
        const fields = isJsonObject(form.json) && isJsonObject(form.json['fields']) ? form.json['fields'] : {};
        const [boundary, body] = multipart(draw, fields);
        const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
        return String((await send({ method: 'POST', path: '/upload-forms', headers, body })).status);
      };
    },
  },
  {
    name: 'uploaded bytes and files that are read',
    async open(service) {
      const send = openCalls(service);
      const workspace = getId(
        (await send({ method: 'POST', path: '/api/v4/workspaces', body: '{"name":"a"}' })).json,
        'id',
      );
      return (draw) => storeAndRead(send, workspace, draw);
    },
  },
];

/**
 * Uploads a file, requests ranges of the file, and starts a task that reads it. Returns the statuses of the upload and
 * of the task's creation.
 */
async function storeAndRead(send: SendCall, workspace: string, draw: Draw): Promise<string> {
  const bytes = Buffer.from(worstText(draw, draw.of([1000, 100_000, 10_000_000])));
  const name = draw.of(['a.txt', 'a.json', 'a.csv', 'a.html']);
  const upload = {
    files: [{ name, size: Math.max(1, bytes.length), contentType: 'text/plain' }],
    allowOverrides: true,
  };
  const path = `/api/v4/workspaces/${workspace}/files`;
  const reserved = await send({ method: 'POST', path: `${path}/upload`, body: JSON.stringify(upload) });
  const { pathname, search } = new URL(toText(getMember(reserved.json, 'uploadUrl')) || 'http://none/');
  const headers = { 'content-type': 'text/plain' };
  const stored = await send({ method: 'PUT', path: pathname + search, headers, body: bytes });
  const listed = await send({ method: 'GET', path: `${path}?includeUrls=true` });
  const url = toText(getMember(listed.json, 'url'));
  if (url !== '') {
    const range = { range: `bytes=${draw.of(['0-', '5-1', '0-1,'.repeat(3000), '9'.repeat(5000)])}` };
    await send({ method: 'GET', path: new URL(url).pathname + new URL(url).search, headers: range });
  }
  const task = `Read the file ${name} and tell me what it says`;
  const run = await send({
    method: 'POST',
    path: '/api/v4/runs',
    body: JSON.stringify({ task, workspaceId: workspace, model: 'gemini-3-flash' }),
  });
  return `${stored.status}, ${run.status}`;
}

/** Returns a member of the first file in a response; undefined without a file. */
function getMember(json: JsonValue, name: string): JsonValue | undefined {
  const list = isJsonObject(json) ? (json['files'] ?? json['items']) : undefined;
  const first = Array.isArray(list) ? list[0] : undefined;
  return isJsonObject(first) ? first[name] : undefined;
}

/**
 * Creates a multipart form that is difficult to parse, for example with too many parts, endless headers, hostile
 * values, or boundaries that are incomplete or repeated. Returns the boundary and the form.
 */
function multipart(draw: Draw, fields: JsonObject): readonly [boundary: string, body: string] {
  const boundary = draw.of(['a', '-', '--', '-'.repeat(70), 'a'.repeat(70), 'aaab']);
  const part = (name: string, value: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const good = Object.entries(fields)
    .map(([name, value]) => part(name, toText(value)))
    .join('');
  const end = `--${boundary}--\r\n`;
  const nearly = boundary.slice(0, -1);
  const ways: readonly (() => string)[] = [
    () => good + part('file', worstText(draw, 1000), '; filename="a"') + end,
    () => good + part('file', `\r\n--${nearly}`.repeat(200_000), '; filename="a"') + end,
    () => part('x', 'y').repeat(20_000) + end,
    () => `--${boundary}\r\n${'a: b\r\n'.repeat(200_000)}\r\n`,
    () => `--${boundary}\r\nContent-Disposition: form-data${'; a="b"'.repeat(100_000)}\r\n\r\nx\r\n${end}`,
    () => `--${boundary}\r\nContent-Disposition: form-data; name="${worstText(draw, 100_000)}`,
    () => `--${boundary}`.repeat(300_000),
    () => '-'.repeat(2_000_000),
    () => '\r\n'.repeat(1_000_000),
    () => part('__proto__', worstText(draw, 500_000)) + end,
    () => good + part('file', 'x', `; filename*=utf-8''${'%41'.repeat(100_000)}`) + end,
  ];
  return [boundary, draw.of(ways)()];
}
