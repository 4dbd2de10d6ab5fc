import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { isJsonObject } from '#lib/json.ts';
import type { ServiceProcess } from './svc-process.ts';

const targetFile = 'examples/targets/reference.yaml';

/**
 * Creates a profile and a workspace in the service. Writes the target file of one run with their ids and the control
 * URL.
 */
export async function writeTarget(
  file: string,
  serve: Pick<ServiceProcess, 'address' | 'control'>,
  key: string,
): Promise<void> {
  const target: unknown = parse(readFileSync(targetFile, 'utf8'));
  if (!isJsonObject(target) || !isJsonObject(target['v3']))
    throw new Error(`${targetFile}: expected an object with v3`);
  const make = (path: string): Promise<string> => create(`${serve.address}/api/v3${path}`, key);
  const existing = { profileId: await make('/profiles'), workspaceId: await make('/workspaces') };
  writeFileSync(file, stringify({ ...target, v3: { ...target['v3'], existing }, control: serve.control }));
}

async function create(url: string, key: string): Promise<string> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{"name":"conformance"}' });
  const body: unknown = await response.json();
  if (response.status === 201 && isJsonObject(body) && typeof body['id'] === 'string') return body['id'];
  throw new Error(`POST ${url}: expected 201 with an id, found ${response.status} ${JSON.stringify(body)}`);
}
