import { runInNewContext } from 'node:vm';
import { build } from 'vite';
import { expect, it } from 'vitest';

/** Returns the script that a bundler builds from the client for a page. The script defines `Service`. */
async function bundled(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: 'src/client/index.ts', formats: ['iife'], name: 'Service', fileName: 'client' },
    },
  });
  const outputs = (Array.isArray(made) ? made : [made]).flatMap((one) => ('output' in one ? one.output : []));
  return outputs.map((one) => (one.type === 'chunk' ? one.code : '')).join('');
}

it('the client runs in a page: nothing of Node is in it, and there is no environment to read', async () => {
  const script = await bundled();
  expect(script).not.toMatch(/require\(|node:|__vite-browser-external/);
  // The tables of the rules, hundreds of kilobytes, are not in the script.
  expect(script.length).toBeLessThan(30_000);
  const asked: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    asked.push(`${request.method} ${request.url} ${request.headers.get('x-service-api-key')}`);
    return Response.json({ runs: [] });
  };
  const page = {
    Request,
    Response,
    Headers,
    FormData,
    AbortSignal,
    URL,
    URLSearchParams,
    setTimeout,
    clearTimeout,
    fetch,
  };
  const used = `${script}; Service.createClient({ baseUrl: 'https://api.example.com', apiKey: 'svc_mine' }).v4.GET('/runs')`;
  expect(await runInNewContext(used, { ...page })).toEqual({ runs: [] });
  expect(asked).toEqual(['GET https://api.example.com/api/v4/runs svc_mine']);
  const keyless = `${script}; Service.createClient({ baseUrl: 'https://api.example.com' })`;
  expect(() => runInNewContext(keyless, { ...page })).toThrow('found no API key');
});
