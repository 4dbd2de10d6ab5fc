/** Template of a new `svc-target.yaml`: every default with its explanation. Parsing it returns the defaults. */
export const targetTemplate = `# What the conformance suite cannot know from the contract. Every member is optional; these are the defaults.
# An operation or member that is null is "not offered": what needs it is reported as not testable.

keyHeader: X-Service-API-Key
stateless: false # true for a mock that keeps nothing of what it creates

v2: # null when the target does not offer V2
  base: /api/v2 # below the service address, or an absolute address, which is then sent the key too
  idIn: id # where the creation response carries the id (a.b for a nested member)
  getTask:
    method: GET
    path: /tasks/{task_id}
  taskStatus: # null when getTask alone shows the status
    method: GET
    path: /tasks/{task_id}/status
  statusIn: status # where the status stands in the answers of both (a.b for a nested member)
  states: # the words of the status: waits or works, ended with an outcome, ended without one
    pending: [created, started]
    completed: [finished]
    ended: [failed, stopped]
  output: output # where the outcome stands; null when it is not shown
  cost: cost # where the cost so far stands, a decimal string in US dollars; null when it is not shown
  stopTask:
    method: PATCH
    path: /tasks/{task_id}
    body: { action: stop_task_and_session }
  list: # shows that a refusal has created nothing
    method: GET
    path: /tasks
    items: items

v3:
  base: /api/v3
  idIn: id
  followUp: # idMember null: the id stands in the path, for example /sessions/{session_id}/tasks
    method: POST
    path: /sessions
    idMember: sessionId
  stop:
    method: POST
    path: /sessions/{session_id}/stop
  list:
    method: GET
    path: /sessions
    items: sessions
  delete:
    method: DELETE
    path: /sessions/{session_id}
  description: null # address of the published description of V3
  recordings: true # false when the target makes none
  unrouted: [] # models such as gpt-5.6-sol for which the service has no provider key or route
  members: # request names of options that the contract does not show
    maxCostUsd: maxCostUsd
    proxyCountryCode: proxyCountryCode
    inbox: inbox
    profileId: profileId
    workspaceId: workspaceId
  existing: # ids of things in the account that a session may load
    profileId: null
    workspaceId: null

v4:
  base: /api/v4
  getRun:
    method: GET
    path: /runs/{run_id}
  runStatus: # null when getRun alone shows the status
    method: GET
    path: /runs/{run_id}/status
  statusIn: status
  states:
    pending: [queued, dispatching, running]
    completed: [completed]
    ended: [failed, cancelled]
  result: result # where the outcome stands in the answer of getRun
  cost: totalCostUsd
  events: # cursor is a query member (null: every read starts from the beginning), nextCursor and id stand in the answer
    method: GET
    path: /runs/{run_id}/events
    items: events
    cursor: after
    nextCursor: nextAfter # null when the id of the last event is the cursor
    id: id # null when events carry none
  listRuns:
    method: GET
    path: /runs
    items: runs
  cancelRun:
    method: POST
    path: /runs/{run_id}/cancel
  maxCostUsd: maxCostUsd
  browsers: # null when the target offers no standalone browsers; creation and stop are what the contract shows
    get: # null when a browser cannot be fetched
      method: GET
      path: /browsers/{session_id}
    list:
      method: GET
      path: /browsers
      items: items
    statusIn: status # where a browser record shows its state; null when it shows none
    ended: [stopped] # words of the state of a browser that has ended
    costs: [browserCost, proxyCost] # parts of its cost in a record, decimal strings in US dollars; [] when it shows none
    drivable: true # whether there is a real browser behind the address; false when browsers are simulated

operations: # operations of the whole interface that stand elsewhere than its documents say, by operation id; null: not offered
  v2: {} # for example getBillingAccount: null
  v3: {}
  v4: {} # or listProfiles: { method: GET, path: /user-profiles }

tasks: # goals in natural language; {run} stands for a word of the run, by which it finds what it has lost sight of; a target with test tasks may use them here, for example "svc-test: succeed"
  succeed: Open https://example.com/?run={run} and tell me the title of the page.
  fail: Open https://example.com/?run={run} and read the phone number of its owner. If the page shows none, give up.
  slow: Open https://example.com/?run={run}, wait two minutes on the page, then tell me its title.
  exceedCeiling: Visit two hundred different pages of https://example.com/?run={run} and summarise each one at length.
  structured: Open https://example.com/?run={run} and give me the title of the page.
  code: Write and run a program that prints the title of https://example.com/?run={run}.
  readFile: Read the file {file} and tell me what it says, word for word. # {file}: its name
  writeFile: Write the text {text} to a new file named {file}.

ownKeys: [] # providers with a stored key: anthropic, google, openai, ...
control: null # control address of a target that has one: POST {control}/clock {"advanceMs": n}; POST {control}/faults
# {"sandboxStart": "fail"} or null: no sandbox starts, or they do again; {"crashSession": id}: one is lost for good

providerStub: null # where the suite listens instead of the model providers, for a target that calls its providers there: see docs/guides/provider-stub.md
# { listen: "127.0.0.1:4020", task: "... {mark}", ceilingUsd: '1', reply: { tool: finish, input: {} }, ownKeyEndings: { google: "wxyz" },
#   models: { a-name-of-its-own: gpt-5.5 } } of which only listen is needed

checkers: # URLs of third parties that report the caller's address: browsers with and without a country are led there
  country: null # for example https://whoami.example/json
  countryIn: country # where the two-letter code stands in the answer; null when the answer is the code alone
  addressIn: ip # where the address of the caller stands; null when it shows none

polling: # milliseconds
  intervalMs: 2000 # between two looks; for an address of this machine 100 where the file does not say it
  startDeadlineMs: 60000
  taskDeadlineMs: 120000
  settleDeadlineMs: 20000

prices: # US dollars, for the estimate and for --max-cost-usd; null: unknown
  taskV2: null # what one task typically costs; a V2 task takes no ceiling, and counts as limits.ceilingUsd when this is null
  taskV3: null
  taskV4: null
  browserHour: '0.02' # a browser without an agent; a companion figure
  proxyGigabyte: '5' # its traffic; a companion figure

limits:
  ceilingUsd: '0.05' # cost ceiling that every task carries: the lowest that the target takes and that its goals fit into
  inactivityMs: 900000 # null when unknown
  sessionsAtOnce: 3
`;
