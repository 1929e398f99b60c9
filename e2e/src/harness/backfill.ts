import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { openEmbeddedKv } from '@ranger-relay/kv';
import { createContext } from '@ranger-relay/runtime';
import {
  freshSite,
  type FreshSiteOptions,
  type PlatformSimulator,
  seeded,
  simulatorClock,
  type SiteSimulator,
  startPlatform,
} from '@ranger-relay/simulators';
import { peakOf } from '../bench/proc.ts';
import { fastClock } from './fast-clock.ts';
import { freePort, type Started, startNode } from './product.ts';
import { variablesOf } from './platform.ts';
import { untilReady } from './ready.ts';
import { postJson } from './traffic.ts';

/** The one integration of a platform, which pulls from a site. */
interface SiteIntegration {
  readonly id: string;
  readonly api_key?: string;
  readonly configurations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Starts a platform with an integration of a site; `env` are the variables that lead a service to it. */
export const startSitePlatform = async (
  { url }: Pick<SiteSimulator, 'url'>,
  integration: SiteIntegration,
): Promise<{ readonly platform: PlatformSimulator; readonly env: Readonly<Record<string, string>> }> => {
  const platform = await startPlatform({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    random: seeded(1),
    integrations: [{ ...integration, type: 'site_connector', base_url: url }],
  });
  const { client } = platform;
  return { platform, env: variablesOf({ ...platform, clientId: client.id, clientSecret: client.secret }) };
};

/** The integration that pulls. */
const park = 'aaaaaaaa-0000-4000-8000-0000000000b1';

/** A site with observations, and an action runner on a machine of its own that pulls them. */
export interface BackfillHarness {
  readonly site: SiteSimulator;
  /** Starts the runner; resolves when it is ready. */
  start(): Promise<void>;
  /** `kill -9`; answers the most memory it took, bytes. */
  kill(): Promise<number>;
  /** Most memory that the running one has taken, bytes. */
  memory(): number;
  /** Asks for a run of `pull_observations`. */
  command(): Promise<void>;
  /** State of the pull; empty while there is none. */
  state(): Promise<Readonly<Record<string, unknown>>>;
  /** Ids of what lies on the bus, as the site gave them, in the order of each partition; times by id. */
  pulled(): Promise<{ readonly ids: ReadonlySet<string>; readonly count: number }>;
  remove(): Promise<void>;
}

/** How the runner is set up. */
interface BackfillOptions {
  readonly site: FreshSiteOptions;
  readonly config: Readonly<Record<string, unknown>>;
  /** Speed of its clock relative to the real clock. */
  readonly speed: number;
  readonly env?: Readonly<Record<string, string>>;
}

const callerToken = 'e2e-caller-token';
const readyMs = 60_000;

const startBoth = async ({ site, config }: BackfillOptions) => {
  const data = await freshSite(site);
  const configurations = { auth: { token: data.token }, pull_observations: config };
  return { data, ...(await startSitePlatform(data, { id: park, configurations })) };
};

/** Starts site and platform; the runner is started by the scenario. */
export const startBackfill = async (options: BackfillOptions): Promise<BackfillHarness> => {
  const { speed } = options;
  const from = Date.now();
  const directory = await mkdtemp(join(tmpdir(), 'relay-backfill-'));
  const { data: site, platform, env: toPlatform } = await startBoth(options);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    DATA_DIR: directory,
    CLOCK_FROM: String(from),
    CLOCK_SPEED: String(speed),
    HOST: '127.0.0.1',
    PORT: String(port),
    AUTH_TOKEN: callerToken,
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...toPlatform,
    SCHEDULER: 'platform',
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  const { log, random, metrics, clock: realClock } = createContext({ service: 'e2e', level: 'silent' });
  const clock = fastClock(realClock, from, speed);
  let started: Started | undefined;

  const kill = async (): Promise<number> => {
    if (!started) return 0;
    const max = peakOf(started.child.pid ?? 0);
    await started.end('SIGKILL');
    started = undefined;
    return max;
  };

  return {
    site,
    kill,
    memory: () => peakOf(started?.child.pid ?? 0),
    async start() {
      const args = ['--max-semi-space-size=6', '--conditions=@ranger-relay/source', 'e2e/src/harness/backfill-main.ts'];
      started = startNode(args, env);
      await untilReady('the runner', started, [url], readyMs);
    },
    async command() {
      const body = { integration_id: park, action_id: 'pull_observations', run_in_background: true };
      const answer = await postJson(`${url}/v1/actions/execute`, callerToken, body);
      if (answer.status !== 200) throw new Error(`the command was answered ${answer.status}`);
    },
    async state() {
      const kv = await openEmbeddedKv({ path: join(directory, 'kv.sqlite'), clock, log, beside: true });
      const text = await kv.state.get(`integration_state.${park}.pull_observations.no-source`);
      await kv.close();
      return JSON.parse(text ?? '{}') as Record<string, unknown>;
    },
    async pulled() {
      const path = join(directory, 'bus.sqlite');
      const { sourceEvents } = topics;
      const bus = await openEmbeddedBus({ path, topics: [sourceEvents], clock, random, log, metrics, mode: 'look' });
      const ids = new Set<string>();
      let count = 0;
      for await (const { value } of bus.read({ topic: sourceEvents.name })) {
        const event = JSON.parse(new TextDecoder().decode(value)) as { observation: { additional: { id: string } } };
        ids.add(event.observation.additional.id);
        count += 1;
      }
      await bus.close();
      return { ids, count };
    },
    async remove() {
      await kill();
      await Promise.all([site.close(), platform.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
};
