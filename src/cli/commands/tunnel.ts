import { Command } from 'commander';
import { readPort } from '../read-port.ts';

/** `svc tunnel`: a browser's address on this machine, for clients that take nothing but host:port. */
export function tunnelCommand(): Command {
  return new Command('tunnel')
    .description(
      'Give a browser an address on this machine, for clients such as chromedriver (Selenium) that take nothing but host:port.',
    )
    .argument('<cdpUrl>', 'the cdpUrl of a browser, as it was given')
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', readPort, 9222)
    .option('--ca <file>', 'certificates in PEM to trust besides the known ones')
    .option('--proxy <url>', 'forward proxy on the way to the browser, http://[user:password@]host:port')
    .action(async (cdpUrl: string, flags: { readonly port: number }) => {
      const { runTunnel } = await import('../tunnel/run-tunnel.ts');
      process.exitCode = await runTunnel(cdpUrl, { ...flags });
    });
}
