import type { JsonObject } from '#lib/json.ts';

/** Name and description of an integration, written by the operator. */
export interface IntegrationSummary {
  readonly name: string;
  readonly description: string;
}

/** A tool as its server describes it. All texts are untrusted. */
export interface IntegrationTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the tool's arguments. */
  readonly parameters: JsonObject;
}

/** The integrations of a task. Methods reject with an IntegrationError, or with the reason of the task's signal. */
export interface TaskIntegrations {
  /** Lists the tools of an integration. */
  tools(name: string): Promise<readonly IntegrationTool[]>;
  /** Calls a tool and returns the text of its result. */
  call(name: string, call: IntegrationCall): Promise<string>;
}

/** A call of a tool. */
export interface IntegrationCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/**
 * Thrown when an integration or one of its tools cannot be used, or when a tool has failed. The message contains no
 * secret; it may contain untrusted text of the server.
 */
export class IntegrationError extends Error {
  override readonly name = 'IntegrationError';
}

/** A text of the configuration as a list of pieces: literal texts, and names of project secrets to insert. */
export type SecretTemplate = readonly (string | { readonly secret: string })[];

/** Connection between the service and the server of an integration: a child process or a URL. */
export type IntegrationTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** The whole environment of the process. */
      readonly env: ReadonlyMap<string, SecretTemplate>;
      /** Working folder of the process; null for the working folder of the service. */
      readonly folder: string | null;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: ReadonlyMap<string, SecretTemplate>;
    };

/** An MCP server that the operator has configured. */
export interface Integration extends IntegrationSummary {
  /** Ids of the projects that may use the integration; `all` for every project. */
  readonly projects: 'all' | ReadonlySet<string>;
  /** The tools that agents may call; null for all tools of the server. */
  readonly tools: ReadonlySet<string> | null;
  readonly transport: IntegrationTransport;
  /** Names of the secrets that each project stores for the integration. */
  readonly secretNames: readonly string[];
  /**
   * Secrets of the operator: the values of environment variables in the configuration, and literal values of headers.
   * They are redacted in texts of the server.
   */
  readonly ownSecrets: readonly IntegrationSecret[];
}

/** A secret that is sent only to the server of an integration. */
export interface IntegrationSecret {
  readonly name: string;
  readonly value: string;
}

/** Limits of integrations (spec/rules/limits.yaml). */
export interface IntegrationBounds {
  /** Maximum number of tools of one integration. */
  readonly tools: number;
  /** Maximum number of bytes of the names, descriptions and schemas of all tools of an integration, as JSON. */
  readonly listBytes: number;
  /** Maximum number of bytes of one response of a server. */
  readonly answerBytes: number;
  readonly connectMs: number;
  readonly callMs: number;
  /** Time after which an unused connection is closed, in milliseconds. */
  readonly idleMs: number;
  /** Maximum number of open connections of this process. */
  readonly connections: number;
}

/** Returns whether a project may use an integration. */
export function isFor({ projects }: Pick<Integration, 'projects'>, projectId: string): boolean {
  return projects === 'all' || projects.has(projectId);
}
