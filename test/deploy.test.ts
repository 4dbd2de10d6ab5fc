import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { serveCommand } from '../src/cli/commands/serve.ts';

const read = (name: string): string => readFileSync(join('deploy', name), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');
const several = read('compose.several.yaml');
const unit = read('svc.service');

/** Timeout for several processes that start one after another. */
const processesMs = 120_000;

/**
 * Returns the arguments that `svc serve` does not understand. Throws if `svc serve` refuses the value of an argument.
 */
const notUnderstood = ([command, ...rest]: readonly string[]): string[] => {
  const { operands, unknown } = serveCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parseOptions(rest);
  return [...(command === 'serve' ? [] : [String(command)]), ...operands, ...unknown];
};

/** Returns the arguments of a Dockerfile instruction in JSON form. */
const instruction = (name: string): string[] =>
  JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? 'null');

describe('the Dockerfile', () => {
  it('says nothing that a builder would refuse or warn of', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate(dockerfile.replace('ENTRYPOINT', 'ENTRYPOIN')).map(({ message }) => message)).toEqual([
      'Unknown instruction: ENTRYPOIN',
    ]);
  });

  it('copies what there is, and starts what the package starts', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied.filter((name) => !existsSync(name))).toEqual([]);
    expect(copied).toContain('package-lock.json');
    const [node, script] = instruction('ENTRYPOINT');
    expect([node, existsSync(String(script).replace('/opt/svc/', ''))]).toEqual(['node', true]);
    expect(notUnderstood(instruction('CMD'))).toEqual([]);
  });

  it('leaves root before it starts, and brings a Node that the package takes', () => {
    expect(dockerfile).toMatch(/^USER (?!root|0)\w+$/m);
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
    const wanted = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)?.slice(1).map(Number) ?? [];
    for (const [, major, minor] of dockerfile.matchAll(/^FROM node:(\d+)\.(\d+)\./gm)) {
      expect(Number(major)).toBe(wanted[0]);
      expect(Number(minor)).toBeGreaterThanOrEqual(Number(wanted[1]));
    }
  });
});

describe('the compose file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Lints a compose file as `npm run lint:deploy` does. Returns the exit code. */
  const lint = (text: string): number | null => {
    writeFileSync(join(folder, 'compose.yaml'), text);
    const { status } = spawnSync('node_modules/.bin/dclint', ['--max-warnings', '0', folder]);
    return status;
  };

  it('has members that compose knows, and the linter sees one that it does not', { timeout: processesMs }, () => {
    expect(lint(compose)).toBe(0);
    expect(lint(several)).toBe(0);
    expect(lint(compose.replace('read_only', 'read_onyl'))).not.toBe(0);
    expect(lint(compose.replace("'127.0.0.1:8080:8080'", '8080:8080'))).not.toBe(0);
  });

  it('starts the service with flags that it has, on this machine alone', () => {
    const { services } = parse(compose);
    expect(notUnderstood(services.svc.command.map((word: string) => word.replace(/^\$\{\w+:-(.*)\}$/, '$1')))).toEqual(
      [],
    );
    expect(services.svc.ports).toEqual(['127.0.0.1:8080:8080']);
    expect(existsSync(join('deploy', services.svc.build.context, services.svc.build.dockerfile))).toBe(true);
  });

  it('starts several processes with flags that they have, each with its folder, and workers with addresses of their own', () => {
    const { services } = parse(several, { merge: true });
    const commands: string[][] = ['api-1', 'api-2', 'worker-1', 'worker-2'].map((name) =>
      services[name].command.map((word: string) => word.replace(/^\$\{\w+:-(.*)\}$/, '$1')),
    );
    expect(commands.map(notUnderstood)).toEqual([[], [], [], []]);
    const listValues = (flag: string): unknown[] => commands.map((words) => words[words.indexOf(flag) + 1]);
    expect(listValues('--role')).toEqual(['api', 'api', 'worker', 'worker']);
    expect(new Set(listValues('--data')).size).toBe(4);
    const [first, second, ...ofWorkers] = listValues('--public-url');
    expect([first === second, new Set([first, ...ofWorkers]).size]).toEqual([true, 3]);
    const ports = ['balancer', 'worker-1', 'worker-2'].flatMap((name) => services[name].ports);
    expect(ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8081:8080', '127.0.0.1:8082:8080']);
  });

  it('hands requests to every process that answers, as long as it says that it is ready', () => {
    const balancer = read('haproxy.cfg');
    const servers = [...balancer.matchAll(/^ +server (\S+) (\S+):8080$/gm)].map(([, name, host]) => [name, host]);
    const answering = Object.keys(parse(several).services).filter((name) => name.startsWith('api-'));
    expect(servers).toEqual(answering.map((name) => [name, name]));
    expect(balancer).toContain('option httpchk GET /readyz');
    expect(balancer).toContain('balance roundrobin');
  });

  it('counts the clients behind the balancer by their own addresses', () => {
    expect(read('haproxy.cfg')).toMatch(/^defaults\n(?: .*\n)* {2}option forwardfor$/m);
    const { services } = parse(several, { merge: true });
    const ranges = ['api-1', 'api-2'].map((name) => services[name].environment.SVC_TRUST_PROXY);
    expect(ranges).toEqual(Array(2).fill('${SVC_TRUST_PROXY:-172.16.0.0/12,192.168.0.0/16}'));
  });
});

describe('the systemd unit', () => {
  it('starts the service with flags that it has', () => {
    const words = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
    expect(words.slice(0, 3)).toEqual(['/usr/bin/env', 'node', '/opt/svc/bin/svc.mjs']);
    expect(notUnderstood(words.slice(3))).toEqual([]);
    expect(notUnderstood(['serve', '--no-such-flag'])).toEqual(['--no-such-flag']);
  });
});
