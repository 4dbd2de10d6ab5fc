/**
 * The page behind a liveUrl: a picture that server-sent events keep up to date, and a note when there is no browser.
 * It asks for nothing from outside and may be framed by anyone (contract section 2, liveUrl).
 */
export function livePage(framesPath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Live browser</title>
<style>
  :root { color-scheme: light dark; }
  html, body { margin: 0; height: 100%; background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; }
  main { height: 100%; display: grid; place-items: center; }
  img { max-width: 100%; max-height: 100%; object-fit: contain; display: block; }
  p { margin: 1rem; text-align: center; }
  img[hidden], p[hidden] { display: none; }
</style>
</head>
<body>
<main>
  <img id="frame" alt="The page that the browser shows now" hidden>
  <p id="note">Connecting…</p>
</main>
<script>
  const frame = document.getElementById('frame');
  const note = document.getElementById('note');
  const show = (running) => { frame.hidden = !running; note.hidden = running; };
  const frames = new EventSource(${JSON.stringify(framesPath)});
  frames.addEventListener('frame', (event) => { frame.src = 'data:image/jpeg;base64,' + event.data; show(true); });
  frames.addEventListener('gone', () => {
    note.textContent = 'The browser is not running: it is still starting, waits for its next task, or has ended.';
    show(false);
  });
</script>
</body>
</html>
`;
}
