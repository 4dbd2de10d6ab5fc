import { clientFacts } from '#generated/client-facts.ts';
import { type JsonObject, type JsonValue, identifier, isJsonObject, parseJson } from '../core/json.ts';
import { forward } from './forward.ts';
import { type ClientVersion, advanceMs, advances } from './trial.ts';

/** The service that answers a program: a stateful mock, opened for one trial. */
export interface ServiceUnderClient {
  /** Base URL without the prefix of a generation. */
  readonly address: string;
  /** The API key that the service accepts. */
  readonly apiKey: string;
  /**
   * Advances the clock of the service. Resolves when tasks whose time has come have had time to begin their next step.
   */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Operations of a trial on the service, in addition to the requests of the program. */
export interface ControlledService {
  readonly apiKey: string;
  /** Advances the clock of the service in several steps. */
  advance(): Promise<void>;
  /**
   * Creates another task (V2), session (V3) or run (V4) and returns its id; an empty string if the response has no id.
   */
  insert(version: ClientVersion): Promise<string>;
}

/**
 * Creates the operations by which a trial prepares and advances a service. Creates tasks, sessions and runs over the
 * public API.
 */
export function controlService(service: ServiceUnderClient): ControlledService {
  const { address, apiKey } = service;
  const send = async (target: string, json: JsonObject): Promise<JsonValue | undefined> => {
    const headers = { [clientFacts.keyHeader]: apiKey, 'content-type': 'application/json' };
    const sent = { method: 'POST', target, headers, body: Buffer.from(JSON.stringify(json)) };
    const { status, body } = await forward({ address }, sent);
    if (status < 300) return parseJson(body.toString());
    throw new Error(`found ${status} from POST ${target}, expected a success: ${body.toString().slice(0, 200)}`);
  };
  return {
    apiKey,
    async advance() {
      for (let step = 0; step < advances; step += 1) await service.advance(advanceMs);
    },
    async insert(version) {
      const [target, json] = creations[version];
      const made = await send(`${clientFacts.prefixes[version]}${target}`, json);
      return (isJsonObject(made) ? identifier(made['id']) : undefined) ?? '';
    },
  };
}

const creations: Readonly<Record<ClientVersion, readonly [target: string, json: JsonObject]>> = {
  v2: ['/tasks', { task: 'svc-test: succeed' }],
  v3: ['/sessions', {}],
  v4: ['/runs', { task: 'svc-test: succeed', model: 'gpt-5.6-luna' }],
};
