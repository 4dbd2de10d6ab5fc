/** Source text of the function `describe`. It collects the properties of the browser that a page or worker can read. */
export const describeSelf = `async function describe() {
  const { userAgent, appVersion, platform, language, languages, hardwareConcurrency, deviceMemory, userAgentData } = navigator;
  const gl = new OffscreenCanvas(1, 1).getContext('webgl');
  gl?.getExtension('WEBGL_debug_renderer_info');
  return {
    userAgent, appVersion, platform, language, languages: [...languages], hardwareConcurrency, deviceMemory,
    hints: await userAgentData.getHighEntropyValues(
      ['architecture', 'bitness', 'fullVersionList', 'model', 'platformVersion', 'uaFullVersion', 'wow64']),
    graphics: gl && [gl.getParameter(0x9245), gl.getParameter(0x9246)],
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
  };
}`;

/**
 * HTML page that examines its browser with the bot detectors BotD and fpscanner. It also collects browser properties in
 * same-site and cross-site frames, and in each kind of worker. It records the properties that its first script could
 * see, and posts all findings to `/findings`.
 */
export const detectorPage = `<!doctype html><title>wait</title><body>
<script>
  ${describeSelf}
  const first = { chrome: typeof chrome, plugins: navigator.plugins.length, brands: navigator.userAgentData.brands };
</script>
<script type="module">
  import { load } from '/botd.js';
  import Scanner from '/fpscanner.js';
  const named = (found, is) => Object.entries(found).filter(([, it]) => is(it)).map(([name]) => name);
  const told = (target) => new Promise((resolve) => { target.onmessage = ({ data }) => resolve(data); });

  const framed = (src) => {
    const frame = document.createElement('iframe');
    const { promise, resolve } = Promise.withResolvers();
    addEventListener('message', ({ source, data }) => source === frame.contentWindow && resolve(data));
    frame.src = src;
    document.body.append(frame);
    return promise;
  };
  await navigator.serviceWorker.register('/service.js');
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  const inService = told(channel.port1);
  active.postMessage('describe', [channel.port2]);
  const places = {
    page: await describe(),
    frame: await framed('/frame'),
    foreign: await framed('http://localhost:' + location.port + '/frame'),
    worker: await told(new Worker('/worker.js')),
    shared: await told(new SharedWorker('/shared.js').port),
    service: await inService,
  };
  await fetch('/from-page');

  const botd = await load({ monitoring: false });
  const verdict = await botd.detect();
  const print = await new Scanner().collectFingerprint({ encrypt: false });
  await fetch('/findings', { method: 'POST', body: JSON.stringify({
    places,
    first,
    botd: named(botd.getDetections(), ({ bot }) => bot),
    fpscanner: named(print.fastBotDetectionDetails, ({ detected }) => detected),
    isBot: { botd: verdict.bot, fpscanner: print.fastBotDetection },
  }) });
  document.title = 'judged';
</script>`;
