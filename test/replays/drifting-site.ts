import { createTransport } from 'nodemailer';
import { type ServedRoutes, serveRoutes } from '../../fixtures/sites/core/serve-routes.ts';
import type { Reply, Routes, SiteMail, SiteState, SiteWorld } from '../../fixtures/sites/core/site.ts';
import { type SiteName, sites } from '../../fixtures/sites/sites.ts';

/** Changes a reply before it is sent, as a redesign of the site would. */
export type Rewrite = (reply: Reply) => Reply;

/** Servers on fixed ports that show one site at a time with a new state. */
export interface DriftingSite {
  /** Scheme, host and port of the pages. */
  readonly origin: string;
  /** Hosts and ports of all servers. */
  readonly hosts: readonly string[];
  /** Serves a site with a new state. `rewrite` changes the replies. */
  show(name: SiteName, rewrite: Rewrite): Promise<void>;
  /** Returns the actual state of the shown site. */
  state(): SiteState;
  /** Returns what the pages have reported since the last call of `show`. */
  reports(): readonly string[];
  close(): Promise<void>;
}

/** Path to which pages report, beside the routes of a site. */
const reportPath = '/drift-report';

/** Starts three servers: for pages, for frames of the same host, and for frames of another host. */
export async function startDriftingSite(smtpPort: () => number | null): Promise<DriftingSite> {
  let main: Routes = {};
  let beside: { apart: boolean; routes: Routes }[] = [];
  let reports: string[] = [];
  let state = (): SiteState => ({});
  const other = (apart: boolean): Routes => beside.find((one) => one.apart === apart)?.routes ?? {};
  const served: ServedRoutes[] = [
    await serveRoutes(() => main),
    await serveRoutes(() => other(false)),
    await serveRoutes(() => other(true), '127.0.0.2'),
  ];
  const origins = served.map(({ origin }) => origin);
  const [origin = '', sameHost = '', otherHost = ''] = origins;
  return {
    origin,
    hosts: origins.map((one) => new URL(one).host),
    async show(name, rewrite) {
      beside = [];
      reports = [];
      const heard: string[] = reports;
      const drifting = (routes: Routes): Routes => ({ ...rewritten(routes, rewrite), ...reporting(heard) });
      const world: SiteWorld = {
        send: (mail) => send(mail, smtpPort()),
        async serve(routes, apart) {
          beside.push({ apart, routes: drifting(routes) });
          return apart ? otherHost : sameHost;
        },
      };
      const site = await sites[name](world, origin);
      main = drifting(site.routes);
      state = () => site.state();
    },
    state: () => state(),
    reports: () => reports,
    async close() {
      await Promise.all(served.map((one) => one.close()));
    },
  };
}

function rewritten(routes: Routes, rewrite: Rewrite): Routes {
  return Object.fromEntries(
    Object.entries(routes).map(([route, handler]) => [route, async (visit) => rewrite(await handler(visit))]),
  );
}

function reporting(reports: string[]): Routes {
  return {
    [`GET ${reportPath}`]: ({ query }) => {
      reports.push(query.get('said') ?? '');
      return { status: 204, headers: {}, body: '' };
    },
  };
}

async function send(mail: SiteMail, port: number | null): Promise<void> {
  if (port === null) throw new Error('found no mail server, expected one for a site that sends mail');
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true });
  try {
    await transport.sendMail(mail);
  } finally {
    transport.close();
  }
}
