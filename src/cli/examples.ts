const url = 'https://api.example.com';

/**
 * Examples by command. Each example is a command line, some with a description behind it. Users replace the URLs, keys,
 * ids and file names by their own.
 */
const examples: Readonly<Record<string, readonly string[]>> = {
  svc: [
    `svc check ${url}   judge a deployment, at no cost`,
    'svc mock                            answer from the documents',
    'svc serve                           run the reference service',
  ],
  'svc check': [
    `svc check ${url}                   all checks that cost nothing`,
    `svc check ${url} --profile smoke   whether it answers and accepts the key`,
    `svc check ${url} --spend task --dry-run`,
    `svc check ${url} --report terminal,json=report.json,html=report.html`,
    `svc check ${url} --report json=- --only v3 | jq .totals`,
  ],
  'svc check-client': [
    'svc check-client -- node adapter.mjs',
    'svc check-client --only run,v4 --seed 7 -- python3 adapter.py',
    `svc check-client --observe ${url} --port 4020`,
  ],
  'svc mock': [
    'svc mock --port 4010',
    'svc mock --dynamic --seed 7',
    'svc mock --latency 50-300 --fault-rate 0.01',
    'svc mock --stateful --speed 10',
    'svc mock --replay run.har',
  ],
  'svc serve': [
    'svc serve',
    'svc serve --port 9000 --data /var/lib/svc --public-url https://svc.example.com',
    'svc serve --hosts simulated --control 127.0.0.1:8081   for tests, without a browser',
    'svc serve --print-config',
  ],
  'svc spec print': ['svc spec print v4 > v4.json'],
  'svc spec bundle': ['svc spec bundle --out documents'],
  'svc spec lint': ['svc spec lint'],
  'svc spec diff': ['svc spec diff v4 changed.json', 'svc spec diff old-documents new-documents --json'],
  'svc spec docs': ['svc spec docs', 'svc spec docs --out reference.html'],
  'svc list': ['svc list v3', 'svc list lifecycle --json', 'svc list --side client'],
  'svc explain': ['svc explain V3-GET-02'],
  'svc init': ['svc init', 'svc init staging.yaml'],
  'svc judge': ['svc judge run.har', 'svc judge run.har --only v4 --report html=report.html'],
  'svc replay': [
    'svc replay svc1.eyJpZCI6...',
    'svc replay svc1.eyJpZCI6... --url http://127.0.0.1:8080',
    'svc replay svc-client1.eyJ0... -- node adapter.mjs',
  ],
  'svc coverage': ['svc coverage report.json', 'svc coverage report.json --strict'],
  'svc clean': ['svc clean report.json.ledger', 'svc clean report.json'],
  'svc diff': ['svc diff yesterday.json today.json'],
  'svc report merge': ['svc report merge one.json two.json three.json --report terminal,json=all.json'],
  'svc report show': [
    'svc report show report.json',
    'svc report show report.json --report badge=badge.json,md=report.md',
  ],
  'svc doctor': ['svc doctor', 'svc doctor --data /var/lib/svc --json'],
  'svc completion': [
    'svc completion bash > ~/.local/share/bash-completion/completions/svc',
    'svc completion zsh > "${fpath[1]}/_svc"',
    'svc completion fish > ~/.config/fish/completions/svc.fish',
  ],
  'svc tunnel': ['svc tunnel "$cdpUrl" --port 9222'],
  'svc admin project create': ['svc admin project create shop --credit 25 --sessions-max 5'],
  'svc admin project set': ['svc admin project set shop --credit unlimited'],
  'svc admin project list': ['svc admin project list --json'],
  'svc admin project show': ['svc admin project show shop'],
  'svc admin key create': ['svc admin key create --project shop --name ci --expires 90d'],
  'svc admin key list': ['svc admin key list --project shop'],
  'svc admin key limit': ['svc admin key limit 0123456789abcdef 25'],
  'svc admin key revoke': ['svc admin key revoke 0123456789abcdef'],
  'svc admin schedule create': ['svc admin schedule create "$task" --at 2027-01-31T09:00 --project shop'],
  'svc admin schedule list': ['svc admin schedule list --project shop'],
  'svc admin schedule confirm': ['svc admin schedule confirm 6f1c2a80-0000-4000-8000-000000000000'],
  'svc admin schedule end': ['svc admin schedule end 6f1c2a80-0000-4000-8000-000000000000'],
  'svc admin login-link': ['svc admin login-link --address https://svc.example.com'],
  'svc admin provider-key set': ['SVC_PROVIDER_KEY=... svc admin provider-key set openai --project shop'],
  'svc admin provider-key list': ['svc admin provider-key list --project shop'],
  'svc admin provider-key remove': ['svc admin provider-key remove openai --project shop'],
  'svc admin backup': ['svc admin backup /backups/monday --data /var/lib/svc'],
  'svc admin restore': ['svc admin restore /backups/monday --data /var/lib/svc-restored'],
  'svc admin sweep': ['svc admin sweep --dry-run --retention 90 --data /var/lib/svc'],
};

/**
 * Returns the examples of a command by its full name, such as `svc admin key list`; empty for a command without
 * examples, such as a command that only groups subcommands.
 */
export function findExamples(path: string): readonly string[] {
  return examples[path] ?? [];
}
