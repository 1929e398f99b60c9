import { absencesOf, type Listen, startServer } from '../http/server.ts';
import { createSwitchBoard, type SwitchBoard } from '../switches/fault-registry.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { type Random, seeded } from '../time/random.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { siteControl } from './control.ts';
import { type HandleDependencies, siteHandle } from './handle.ts';
import { createRequestLog, type RequestLog } from './log.ts';
import { page } from './page.ts';
import { allPermissions } from './permissions.ts';
import { type Seed, wholeSeed } from './seed.ts';
import { type TableName, tableNames, type Tables } from './state/records.ts';
import { type Change, emptySettings, type SiteState } from './state/state.ts';
import { openStore, type SiteStore } from './state/store.ts';
import type { SiteSwitches } from './switches.ts';
import { createThrottle, createTokenBook, type TokenBook } from './tokens.ts';

/** Which tokens a fresh site knows. */
interface FreshTokens {
  /** A superuser's. */
  readonly token: string;
  /** One with every permission, and view on the default and the member group; its owner has a password too. */
  readonly ordinaryToken: string;
}

/** Of the ordinary token's owner. */
const [username, password] = ['ordinary', 'ordinary-password'];

/**
 * A site that was set up and never synced: the feature flag on, a default subject group, a member group, two tokens; no types, form, choices
 * or subjects.
 */
const freshSeed = (newId: () => string, { token, ordinaryToken }: FreshTokens): Seed => {
  const [base, roster] = [newId(), newId()];
  return {
    groups: [
      { id: base, name: 'All Subjects' },
      { id: roster, name: 'Rangers' },
    ],
    default_group: base,
    member_groups: [roster],
    tokens: [
      { token, username: 'superuser', is_superuser: true },
      { token: ordinaryToken, username, password, permissions: allPermissions, groups: [base, roster] },
    ],
  };
};

/** How to start a simulated site. */
export interface SiteOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly clock: Clock;
  /** Decides ids, and the order of what has none. */
  readonly random: Random;
  /** With it, what was acknowledged survives a kill; a file that exists decides what the site holds. */
  readonly stateFile?: string;
  /** Content of a new site, in addition to or instead of the default groups and tokens. */
  readonly state?: Seed;
  /** Set at every start. */
  readonly switches?: Partial<SiteSwitches>;
  /** Milliseconds that every request takes at least; the same as the switch `latency_ms`. */
  readonly latencyMs?: number;
  /** The superuser's token, default `site-token`. */
  readonly token?: string;
  /** The other token, default `ordinary-token`. */
  readonly ordinaryToken?: string;
  /** The only client that tokens are given to, default `site-client`. */
  readonly clientId?: string;
  /** Requests that the log remembers, default 100,000. */
  readonly logLimit?: number;
  /** Opens the port; default: a real one. */
  readonly listen?: Listen;
}

/** A running simulated site. */
export interface SiteSimulator {
  readonly port: number;
  readonly url: string;
  readonly token: string;
  readonly ordinaryToken: string;
  /** Of the user with the ordinary token. */
  readonly username: string;
  readonly password: string;
  readonly clientId: string;
  readonly tokens: TokenBook;
  readonly faults: SwitchBoard;
  readonly log: RequestLog;
  /** A copy of everything the site holds. */
  state(): SiteState;
  /** Replaces the tables and settings that are given. */
  seed(seed: Seed): void;
  /** Has rows come to the site, now or later, in the order in which it gets or shows them. */
  readonly arrive: Arrivals['add'];
  /** Changes what differs between sites. */
  set(switches: Partial<SiteSwitches>): void;
  /** Changes one record as a user of the site's pages would. @throws Error when there is no such record */
  edit<Table extends TableName>(table: Table, id: string, changes: Partial<Tables[Table]>): void;
  /** Breaks every connection and refuses new ones until `comeUp`. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  /** The same for so many milliseconds of the site's clock. */
  away(ms: number): Promise<void>;
  close(): Promise<void>;
}

const idMaker = (random: Random, store: SiteStore) => (): string => {
  for (;;) {
    const id = random.uuid();
    if (!tableNames.some((table) => store[table].has(id))) return id;
  }
};

const firstState = ({ random, state = {} }: SiteOptions, tokens: { token: string; ordinaryToken: string }) => {
  const newId = (): string => random.uuid();
  const seed = { ...freshSeed(newId, tokens), ...state };
  return wholeSeed(seed, { newId, now: { ...emptySettings, types: [] } });
};

/** Starts a site that behaves as the site contract says. @throws the system's error when it cannot listen */
export const startSite = async (options: SiteOptions): Promise<SiteSimulator> => {
  const { clock, random, stateFile, clientId = 'site-client', listen = startServer } = options;
  const { token = 'site-token', ordinaryToken = 'ordinary-token' } = options;
  const store = openStore(() => firstState(options, { token, ordinaryToken }), stateFile);
  const newId = idMaker(random, store);
  const arrivals = createArrivals(clock, store);
  const parts: HandleDependencies = {
    clock,
    clientId,
    store,
    arrivals,
    newId,
    faults: createSwitchBoard(),
    log: createRequestLog(clock, options.logLimit ?? 100_000),
    tokens: createTokenBook(store, newId, clock, random),
    throttle: createThrottle(clock, store),
  };
  const seed = (seed: Seed): void =>
    store.load(wholeSeed(seed, { newId, now: { ...store.settings, types: [...store.types.values()] } }));
  const set = (switches: Partial<SiteSwitches>): void => {
    arrivals.settle();
    store.apply({ set: 'switches', value: { ...store.settings.switches, ...switches } });
  };
  const { latencyMs } = options;
  set({ ...options.switches, ...(latencyMs === undefined ? {} : { latency_ms: latencyMs }) });
  const { away, awaySoon, close } = absencesOf(clock, () => server);
  const control = siteControl({ ...parts, seed, set, away: awaySoon });
  const site = siteHandle(parts);
  const server = await listen({
    host: options.host,
    port: options.port,
    handle(request) {
      if (request.path.startsWith('/__control/')) return control(request);
      return request.path === '/' ? Promise.resolve(page(parts)) : site(request);
    },
  });
  return {
    port: server.port,
    url: server.url,
    token,
    ordinaryToken,
    username,
    password,
    clientId,
    tokens: parts.tokens,
    faults: parts.faults,
    log: parts.log,
    state: store.dump,
    seed,
    arrive: arrivals.add,
    set,
    edit(table, id, changes) {
      const record = store[table].get(id);
      if (!record) throw new Error(`the site has no ${table} ${id}`);
      store.apply({ put: table, record: { ...record, ...changes } } as Change);
    },
    goDown: server.goDown,
    comeUp: server.comeUp,
    away,
    async close() {
      await close();
      store.close();
    },
  };
};

/** Options of a fresh site; whatever is left out has a default. */
export type FreshSiteOptions = Partial<Omit<SiteOptions, 'random'>> & {
  /** Decides every id; default 1. */
  readonly seed?: number;
};

/** Starts a fresh site on a free port of 127.0.0.1. @throws the system's error when it cannot listen */
export const freshSite = ({ seed = 1, ...options }: FreshSiteOptions = {}): Promise<SiteSimulator> =>
  startSite({ host: '127.0.0.1', port: 0, clock: systemClock, ...options, random: seeded(seed) });
