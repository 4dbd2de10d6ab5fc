import { createInstance, createLogger } from './prism.ts';
import type { HttpReply } from '#contract/http-messages.ts';
import { mock } from '#generated/rules.ts';
import { isJsonObject } from '#lib/json.ts';
import type { MockRoute } from './load-routes.ts';
import type { Wanted } from './prefer.ts';

/** Creates responses to accepted requests. */
export interface Answerer {
  /** Returns the requested documented response, by default the first example of the success status. */
  answer(route: MockRoute, wanted: Wanted): Promise<HttpReply>;
}

/** Defaults for requests without a `Prefer` header. */
export interface AnswererOptions {
  readonly dynamic: boolean;
  /** Random numbers from 0 to 1 for the seeds of generated responses. */
  readonly random: () => number;
}

/** Requests are validated before they reach Prism, so validation is disabled here. */
const prismConfig = {
  isProxy: false,
  validateRequest: false,
  validateResponse: false,
  checkSecurity: false,
  errors: false,
  upstreamProxy: undefined,
} as const;

/** Maximum number of generated bodies that violate their own schema; after them the example is returned. */
const attempts = 5;

type Prism = ReturnType<typeof createInstance>;

/** Creates responses from the documents with Prism: examples, or data generated from the schemas. */
export function createAnswerer({ dynamic, random }: AnswererOptions): Answerer {
  const prism = createInstance(
    { ...prismConfig, mock: { dynamic: false } },
    { logger: createLogger('mock', { level: 'silent' }) },
  );
  return {
    async answer(route, wanted) {
      const status = wanted.code ?? route.successStatus;
      if (
        (wanted.dynamic ?? dynamic) &&
        wanted.example === undefined &&
        route.validators.responses.of(status) !== undefined
      ) {
        const seed = wanted.seed ?? String(Math.floor(random() * 2 ** 32));
        const invented = await invent(prism, route, { ...wanted, seed });
        if (invented !== null) return invented;
      }
      return showExample(prism, route, wanted);
    },
  };
}

async function showExample(prism: Prism, route: MockRoute, wanted: Wanted): Promise<HttpReply> {
  const shown = await ask(prism, route, { ...wanted, dynamic: false });
  if (shown === null) throw new Error(`Prism has no answer for ${route.id} ${JSON.stringify(wanted)}`);
  return shown;
}

async function invent(prism: Prism, route: MockRoute, wanted: Wanted): Promise<HttpReply | null> {
  const { body: shown } = await showExample(prism, route, wanted);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const invented = await ask(prism, route, { ...wanted, dynamic: true, seed: `${wanted.seed ?? ''}:${attempt}` });
    if (invented === null) continue;
    const body = followExample(invented.body, shown);
    if (route.validators.responses.of(invented.status)?.(body) === true) return { ...invented, body };
  }
  return null;
}

/**
 * Returns the generated value with the example's values for members that a client follows, and with at most as many
 * records as the example.
 */
function followExample(invented: unknown, shown: unknown): unknown {
  if (Array.isArray(invented) && Array.isArray(shown))
    return shown.some(isJsonObject)
      ? invented.slice(0, shown.length).map((item, at) => followExample(item, shown[at]))
      : invented;
  if (!isJsonObject(invented) || !isJsonObject(shown)) return invented;
  const names = Object.keys(invented).filter((name) => Object.hasOwn(shown, name));
  const followed = names.map((name) => [
    name,
    mock.followed.some((one) => one === name) ? shown[name] : followExample(invented[name], shown[name]),
  ]);
  return { ...invented, ...Object.fromEntries(followed) };
}

async function ask(
  prism: Prism,
  route: MockRoute,
  { code, example, dynamic, seed }: Wanted,
): Promise<HttpReply | null> {
  // Prism modifies its configuration, so each request gets a new object.
  const settings = {
    dynamic: dynamic ?? false,
    ...(code === undefined ? {} : { code }),
    ...(example === undefined ? {} : { exampleKey: example }),
    ...(seed === undefined ? {} : { seed }),
  };
  const { method, path } = route.operation;
  const input = { method: prismMethod(method), url: { path: path.replaceAll(/\{\w+\}/g, 'x') }, headers: {} };
  const answered = await prism.request(input, [route.operation], { ...prismConfig, mock: settings })();
  if (answered._tag === 'Left') return null;
  const { statusCode, body } = answered.right.output;
  return { status: statusCode, body };
}

const prismMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

function prismMethod(method: string): (typeof prismMethods)[number] {
  const known = prismMethods.find((candidate) => candidate === method);
  if (known === undefined) throw new Error(`found the method ${method}, expected one of ${prismMethods.join(', ')}`);
  return known;
}
