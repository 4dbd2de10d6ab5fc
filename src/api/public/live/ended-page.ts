import { html } from '../html.ts';
import { liveStyle } from './live-style.ts';

/** What is shown at an address that opens no live view (any more). */
export function endedPage(nonce: string): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No live view</title>
<style nonce="${nonce}">${liveStyle}</style>
</head>
<body>
<main id="stage"><div id="notice"><p>There is no live view at this address: its browser has ended, or the address is not complete.</p></div></main>
</body>
</html>
`;
  return page.markup;
}
