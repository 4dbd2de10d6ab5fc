import browserProtocol from 'devtools-protocol/json/browser_protocol.json' with { type: 'json' };
import javascriptProtocol from 'devtools-protocol/json/js_protocol.json' with { type: 'json' };

/** Names of the Chrome DevTools Protocol. */
export interface ProtocolNames {
  readonly domains: readonly string[];
  /** Parameters by command, such as `Page.navigate`; for an object parameter also its members, such as `clip.width`. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
}

interface Property {
  readonly name: string;
  readonly $ref?: string;
  readonly properties?: readonly Property[];
}

interface Domain {
  readonly domain: string;
  readonly types?: readonly { readonly id: string; readonly properties?: readonly Property[] }[];
  readonly commands: readonly { readonly name: string; readonly parameters?: readonly Property[] }[];
}

/** Names that browsers accept and the published protocol has removed. */
const dropped: ProtocolNames = {
  domains: ['FindInPage'],
  commands: new Map([
    ['Network.continueInterceptedRequest', ['url']],
    ['Page.handleFileChooser', ['files']],
  ]),
};

/** Returns the names of the published protocol, and removed ones. */
export function protocolNames(): ProtocolNames {
  const domains: readonly Domain[] = [...browserProtocol.domains, ...javascriptProtocol.domains];
  const types = new Map(
    domains.flatMap(({ domain, types: rows = [] }) =>
      rows.map(({ id, properties = [] }) => [`${domain}.${id}`, properties] as const),
    ),
  );
  const commands = domains.flatMap(({ domain, commands: rows }) =>
    rows.map(({ name, parameters = [] }): [string, string[]] => [
      `${domain}.${name}`,
      parameters.flatMap((parameter) => [parameter.name, ...inner(types, domain, parameter)]),
    ]),
  );
  return {
    domains: [...domains.map(({ domain }) => domain), ...dropped.domains],
    commands: new Map([...commands, ...dropped.commands]),
  };
}

function inner(
  types: ReadonlyMap<string, readonly Property[]>,
  domain: string,
  { name, $ref, properties }: Property,
): string[] {
  const type = $ref?.includes('.') === true ? $ref : `${domain}.${$ref ?? ''}`;
  return (properties ?? types.get(type) ?? []).map((member) => `${name}.${member.name}`);
}
