/** Template of a new `svc-target.yaml`: every default with its explanation. Parsing it returns the defaults. */
export const targetTemplate = `# Facts about a deployment that the contract does not contain. Every member is optional; these are the defaults.
# null means that the deployment does not offer an operation or member. Requirements that need it are "not testable".

keyHeader: X-Service-API-Key
keyPrefix: null # beginning of every API key, for example svc_; the keys of the run are compared with it
stateless: false # true for a mock without state

v2: # null when the target does not offer V2
  base: /api/v2 # path below the service URL, or an absolute URL, which then receives the key too
  idIn: id # member of the creation's answer with the id (a.b for a nested member)
  getTask:
    method: GET
    path: /tasks/{task_id}
  taskStatus: # null when getTask alone shows the status
    method: GET
    path: /tasks/{task_id}/status
  statusIn: status # member with the status in the answers of both (a.b for a nested member)
  states: # values of the status: pending or running; ended by itself; ended by a failure or a stop
    pending: [created, started]
    completed: [finished]
    ended: [failed, stopped]
  output: output # member with the output; null when it is not shown
  cost: cost # member with the cost so far, a decimal string in US dollars; null when it is not shown
  stopTask:
    method: PATCH
    path: /tasks/{task_id}
    body: { action: stop_task_and_session }
  list: # read to check that a refused request has created nothing
    method: GET
    path: /tasks
    items: items

v3:
  base: /api/v3
  idIn: id
  followUp: # idMember: null when the id is in the path, for example /sessions/{session_id}/tasks
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
  description: null # URL of the published description of V3
  recordings: true # false when the target makes no recordings
  unrouted: [] # models such as gpt-5.6-sol for which the service has no provider key or route
  members: # names of request members that the contract does not show
    maxCostUsd: maxCostUsd
    proxyCountryCode: proxyCountryCode
    inbox: inbox
    profileId: profileId
    workspaceId: workspaceId
  existing: # ids of existing resources that a session may use
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
  result: result # member with the result in the answer of getRun
  cost: totalCostUsd
  events: # cursor: query member, null when every read starts at the beginning; nextCursor and id: members of the answer
    method: GET
    path: /runs/{run_id}/events
    items: events
    cursor: after
    nextCursor: nextAfter # null when the id of the last event is the cursor
    id: id # null when events have no id
  listRuns:
    method: GET
    path: /runs
    items: runs
  cancelRun:
    method: POST
    path: /runs/{run_id}/cancel
  maxCostUsd: maxCostUsd
  browsers: # null when the target offers no standalone browsers; the contract shows their creation and stop
    get: # null when a browser cannot be fetched
      method: GET
      path: /browsers/{session_id}
    list:
      method: GET
      path: /browsers
      items: items
    statusIn: status # member of a browser's record with its state; null without one
    ended: [stopped] # states of an ended browser
    costs: [browserCost, proxyCost] # members with parts of its cost, decimal strings in US dollars; [] without one
    drivable: true # false when browsers are simulated

operations: # other paths of operations, by operation id (\`svc coverage REPORT\` lists them); null: not offered
  v2: {} # for example getBillingAccount: null
  v3: {}
  v4: {} # or listProfiles: { method: GET, path: /user-profiles }

# Tasks in natural language. {run} is replaced by a unique marker, by which the suite finds its tasks again.
# A target with test tasks may use them here, for example "svc-test: succeed".
tasks:
  succeed: Open https://example.com/?run={run} and tell me the title of the page.
  fail: Open https://example.com/?run={run} and read the phone number of its owner. If the page shows none, give up.
  slow: Open https://example.com/?run={run}, wait two minutes on the page, then tell me its title.
  exceedCeiling: Visit two hundred different pages of https://example.com/?run={run} and summarise each one at length.
  structured: Open https://example.com/?run={run} and give me the title of the page.
  code: Write and run a program that prints the title of https://example.com/?run={run}.
  readFile: Read the file {file} and tell me what it says, word for word. # {file}: name of the file
  writeFile: Write the text {text} to a new file named {file}.
  country: null # for example Open {url} and reply with the two-letter country code. {url} is checkers.country

ownKeys: [] # providers with a stored key: anthropic, google, openai, ...
# Control URL of a test deployment: POST {control}/clock {"advanceMs": n} moves its clock. POST {control}/faults
# {"sandboxStart": "fail"} lets no sandbox start until the value is null; {"crashSession": id} ends a session's sandbox.
control: null

# The suite as the model provider of the target (docs/guides/provider-stub.md); only listen is required:
# { listen: "127.0.0.1:4020", task: "... {mark}", ceilingUsd: '1', reply: { tool: finish, input: {} },
#   ownKeyEndings: { google: "wxyz" }, models: { a-name-of-its-own: gpt-5.5 } }
providerStub: null

checkers: # URL that answers the country of its caller; the suite opens it in browsers with and without a country
  country: null # for example https://whoami.example/json
  countryIn: country # member with the two-letter code; null when the answer is only the code
  addressIn: ip # member with the address of the caller; null without one

polling: # milliseconds
  intervalMs: 2000 # between two polls; 100 by default for a target on this machine
  startDeadlineMs: 60000
  taskDeadlineMs: 120000
  settleDeadlineMs: 20000 # for effects of a task or a stop to become visible; later ones are violations

prices: # US dollars, for the estimate and for --max-cost-usd; null: unknown
  taskV2: null # typical cost of a task; null counts as limits.ceilingUsd, because V2 tasks accept no ceiling
  taskV3: null
  taskV4: null
  browserHour: '0.02' # a standalone browser; a companion figure
  proxyGigabyte: '5' # its traffic; a companion figure

limits:
  ceilingUsd: '0.05' # cost ceiling of every task: the lowest that the target accepts and that its tasks fit into
  inactivityMs: 900000 # null when unknown
  sessionsAtOnce: 3
`;
