/** What the service counts, by name, with what each figure says. Labels have few values: never an id, a key, an address or a text of a caller. */
export const metricNames = {
  svc_http_requests_total: 'Requests that were answered, by operation (or pattern of an address) and status.',
  svc_http_request_duration_seconds: 'Time from the first byte of a request to the last of its answer, by operation.',
  svc_sessions: 'Living sessions by generation and state; idle sessions without a browser are not counted.',
  svc_tasks_running: 'Tasks that an agent works on.',
  svc_messages_waiting: 'Messages that wait for the run before them.',
  svc_browsers:
    'Browsers of this process by state (running, waiting for their turn to start, ready to be handed out) and, of those that run, by use: session, browser.',
  svc_video_encoders: 'Videos that are being made of browsers.',
  svc_browser_starts_total: 'Browsers that were asked for, by outcome: started, busy (not admitted), failed.',
  svc_browser_start_duration_seconds:
    'Time until a browser that was asked for was there, the wait for its turn included.',
  svc_browser_ends_total: 'Browsers that ended, by whether somebody asked for it: stopped, crashed.',
  svc_model_calls_total: 'Calls of models by provider and outcome: ok, or the kind of failure after the last attempt.',
  svc_model_call_duration_seconds: 'Time of a call of a model with all of its attempts, by provider.',
  svc_model_tokens_total: 'Tokens by provider and direction: input, output.',
  svc_model_cost_usd_total: 'What these tokens are charged at the prices of the service, by provider.',
} as const;

/** The name of a figure. */
export type MetricName = keyof typeof metricNames;

/** Upper bounds of buckets in seconds: for answers, browsers and models alike, from a poll to a long task of a provider. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;
