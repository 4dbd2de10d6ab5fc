import { describe, expect, it } from 'vitest';
import { parseYamlFile } from '#conformance/core/data-file.ts';
import { parseIntegrations } from './configuration.ts';
import type { Integration } from './integration.ts';

const environment = { TRACKER_TOKEN: 'tok-1f2e3d4c', BIN: '/opt/bin' };

function parse(text: string): readonly Integration[] {
  const use = { name: 'integrations.yaml', expected: 'integrations', next: 'correct it', holdsSecrets: true };
  return parseIntegrations({ file: parseYamlFile(text, use), environment, integrationsMax: 2 });
}

const files = `integrations:
  - name: files
    description: Files of the team
    projects: all
    command: server
    args: [--root, /srv]
    env: { PATH: "\${BIN}", TOKEN: "{secret:TOKEN}" }
    tools: [read]
`;

describe('a file of integrations', () => {
  it('describes processes and HTTP servers', () => {
    const tracker = `  - name: tracker
    description: Issues
    projects: [AA, bb]
    url: https://mcp.example.com/\${TRACKER_TOKEN}
    headers: { Authorization: "Bearer \${TRACKER_TOKEN}", X-Fixed: plain }
`;
    const [first, second] = parse(files + tracker);
    expect(first).toEqual({
      name: 'files',
      description: 'Files of the team',
      projects: 'all',
      tools: new Set(['read']),
      transport: {
        kind: 'stdio',
        command: 'server',
        args: ['--root', '/srv'],
        env: new Map([
          ['PATH', ['/opt/bin']],
          ['TOKEN', [{ secret: 'TOKEN' }]],
        ]),
        folder: null,
      },
      secretNames: ['TOKEN'],
      ownSecrets: [{ name: 'BIN', value: '/opt/bin' }],
    });
    expect(second).toMatchObject({
      projects: new Set(['aa', 'bb']),
      tools: null,
      transport: {
        kind: 'http',
        url: 'https://mcp.example.com/tok-1f2e3d4c',
        headers: new Map([
          ['Authorization', ['Bearer tok-1f2e3d4c']],
          ['X-Fixed', ['plain']],
        ]),
      },
    });
    // A header without a variable may be a secret too.
    expect(second?.ownSecrets).toContainEqual({ name: 'header X-Fixed', value: 'plain' });
  });

  const command = 'command: server\n    args: [--root, /srv]\n    env: { PATH: "${BIN}", TOKEN: "{secret:TOKEN}" }';

  it.each([
    { what: 'an unknown member', to: 'comand: x', says: /line 9, column 5: .*unknown member "comand" .*"command"/ },
    { what: 'a name with capitals', from: 'name: files', to: 'name: Files', says: /name must have 1 to 32 lower case/ },
    { what: 'no projects', from: '    projects: all\n', to: '', says: /must have required property 'projects'/ },
    { what: 'other projects', from: ': all', to: ': some', says: /projects is neither all nor a list of project ids/ },
    { what: 'command and url', to: 'url: http://a/', says: /line 2, .*neither or both of command and url/ },
    { what: 'headers of a process', to: 'headers: { A: b }', says: /line 9, .*headers does not belong to a server/ },
    { what: 'a missing variable', from: '${BIN}', to: '${GONE}', says: /env names the variable GONE/ },
    { what: 'a secret as argument', from: '/srv', to: '"{secret:A}"', says: /args has a secret of a project/ },
    { what: 'an address with credentials', from: command, to: 'url: http://a:b@c/', says: /url is no address/ },
    {
      what: 'a reserved header',
      from: command,
      to: 'url: http://a/\n    headers: { Host: x }',
      says: /"Host", which cannot be set/,
    },
  ])('is refused with the line of $what', ({ from, to, says }) => {
    const text = from === undefined ? `${files}    ${to}\n` : files.replace(from, to);
    expect(() => parse(text)).toThrow(says);
  });

  it('is refused with a name twice, with too many rows, and without repeating a value', () => {
    const row = files.split('\n').slice(1).join('\n');
    expect(() => parse(files + row)).toThrow(/line 9, column 5: integrations.1.name is files, which an earlier row/);
    expect(() => parse(files + row.replace('files', 'b') + row.replace('files', 'c'))).toThrow(
      '3 rows, expected at most 2',
    );
    const http = 'integrations: [{ name: a, description: x, projects: all, url: "ftp://u:pw-5ecret@h" }]';
    expect(() => parse(http)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('5ecret') }));
  });
});
