import { startServer } from '../http/server.ts';
import { createRequestLog, type RequestLog } from '../site/log.ts';
import { createSwitchBoard, type SwitchBoard } from '../switches/fault-registry.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { seeded, type Random } from '../time/random.ts';
import { createArrivals, type Arrivals } from './arrivals.ts';
import { dataControlHandle } from './control.ts';
import { dataHandle, offsetOf, type DataDependencies } from './handle.ts';
import { emptyData, type SiteData } from './records.ts';
import { defaultDataSwitches, type DataSwitches } from './switches.ts';
import { createDataTokens, type DataTokens } from './tokens.ts';

/** How to start a simulated site for those who pull; whatever is left out has a default. */
export interface SiteDataOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** What it holds beside one user. */
  readonly data?: Partial<SiteData>;
  readonly switches?: Partial<DataSwitches>;
  /** The only client that tokens are given to, default `site-client`. */
  readonly clientId?: string;
  /** Requests that the log remembers, default 100,000. */
  readonly logLimit?: number;
}

/** A running simulated site. */
export interface SiteDataSimulator {
  readonly port: number;
  readonly url: string;
  /** Of the first user. */
  readonly token: string;
  readonly username: string;
  readonly password: string;
  readonly clientId: string;
  readonly tokens: DataTokens;
  readonly faults: SwitchBoard;
  readonly log: RequestLog;
  /** What it holds now. */
  data(): SiteData;
  /** Replaces the tables that are given. */
  put(changes: Partial<SiteData>): void;
  /** Has rows come to the site, now or later, in the order in which it gets or shows them. */
  readonly arrive: Arrivals['add'];
  /** Changes what differs between sites. */
  set(switches: Partial<DataSwitches>): void;
  /** Breaks every connection and refuses new ones until `comeUp`. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a site as those see it who pull from it (platform contract, site pull actions), on a real port.
 * @throws the system's error when it cannot listen
 */
export const startSiteData = async (options: SiteDataOptions = {}): Promise<SiteDataSimulator> => {
  const { host = '127.0.0.1', port = 0, clock = systemClock, random = seeded(1), clientId = 'site-client' } = options;
  let data: SiteData = { ...emptyData, ...options.data };
  let switches: DataSwitches = { ...defaultDataSwitches, ...options.switches };
  const put = (changes: Partial<SiteData>): void => void (data = { ...data, ...changes });
  const arrivals = createArrivals({ clock, offsetMs: () => offsetOf(switches), data: () => data, put });
  const set = (changes: Partial<DataSwitches>): void => {
    arrivals.settle();
    switches = { ...switches, ...changes };
  };
  const parts: DataDependencies = {
    clock,
    clientId,
    arrivals,
    faults: createSwitchBoard(),
    log: createRequestLog(clock, options.logLimit ?? 100_000),
    tokens: createDataTokens(clock, random, () => data.users),
    data: () => data,
    switches: () => switches,
  };
  const away = (ms: number): void => {
    void server.goDown();
    clock.after(ms, () => void server.comeUp());
  };
  const control = dataControlHandle({ ...parts, put, set, away });
  const site = dataHandle(parts);
  const server = await startServer({
    host,
    port,
    handle: (request) => (request.path.startsWith('/__control/') ? control(request) : site(request)),
  });
  const [user = emptyData.users[0]] = data.users;
  return {
    port: server.port,
    url: server.url,
    token: user?.token ?? '',
    username: user?.username ?? '',
    password: user?.password ?? '',
    clientId,
    tokens: parts.tokens,
    faults: parts.faults,
    log: parts.log,
    data: () => data,
    put,
    arrive: arrivals.add,
    set,
    goDown: server.goDown,
    comeUp: server.comeUp,
    close: server.close,
  };
};
