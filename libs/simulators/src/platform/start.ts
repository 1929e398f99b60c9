import { startServer } from '../http/server.ts';
import { createSwitchBoard, type SwitchBoard } from '../switches/board.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { controlRoutes } from './control.ts';
import type { Door } from './door.ts';
import { openIntegrations, type IntegrationBook, type IntegrationChange } from './integrations.ts';
import { platformRoutes, type RouteParts } from './routes.ts';
import { openState } from './state.ts';
import type { PlatformStats } from './stats.ts';
import { createTokens, type TokenClient, type Tokens, type TokenSettings } from './tokens.ts';
import { createTypes, type TypeBook } from './types.ts';

/** How to start a simulated platform. */
export interface PlatformOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
  /** JSON-lines file of the door log. With it, items, dedup marks and (in files beside it) integrations survive a kill. */
  readonly stateFile?: string;
  /** Without a state file: lines of the door log kept in memory, default 100,000. */
  readonly doorLimit?: number;
  readonly client?: TokenClient;
  readonly tokens?: Partial<TokenSettings>;
  /** Integrations that exist from the start. */
  readonly integrations?: readonly (IntegrationChange & { readonly id: string })[];
  /** Scheme and host in the list's `next` links. */
  readonly linkBase?: string;
}

/** A running simulated platform. */
export interface PlatformSimulator {
  readonly port: number;
  readonly url: string;
  /** For `PLATFORM_API_BASE_URL`, `PLATFORM_SENSORS_BASE_URL` and `PLATFORM_TOKEN_URL`. */
  readonly apiBaseUrl: string;
  readonly sensorsBaseUrl: string;
  readonly tokenUrl: string;
  readonly client: TokenClient;
  readonly integrations: IntegrationBook;
  readonly types: TypeBook;
  readonly tokens: Tokens;
  readonly switches: SwitchBoard;
  readonly door: Door;
  stats(): PlatformStats & { readonly dedup_marks: number };
  /** Breaks every connection and refuses new ones until `comeUp`. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

const defaultClient: TokenClient = { id: 'relay', secret: 'relay-secret' };

/** Starts a platform that behaves as the platform contract says, on a real port. @throws the system's error when it cannot listen */
export const startPlatform = async (options: PlatformOptions): Promise<PlatformSimulator> => {
  const { clock, random, stateFile, client = defaultClient } = options;
  const state = openState({ clock, stateFile, doorLimit: options.doorLimit ?? 100_000 });
  const book = stateFile === undefined ? undefined : `${stateFile}.integrations`;
  const integrations = openIntegrations(random, book);
  for (const integration of options.integrations ?? [])
    if (!integrations.get(integration.id)) integrations.put(integration);
  const parts: RouteParts = {
    ...state,
    clock,
    random,
    integrations,
    switches: createSwitchBoard(),
    types: createTypes(),
    tokens: createTokens(client, clock, random, options.tokens),
    linkBase: options.linkBase ?? 'https://integrations.internal',
  };
  const stats = (): ReturnType<PlatformSimulator['stats']> => ({
    ...state.counting.read(),
    dedup_marks: state.dedup.size(),
  });
  const away = (ms: number): void => {
    clock.after(20, () => void server.goDown().then(() => clock.after(ms, () => void server.comeUp(), true)), true);
  };
  const control = controlRoutes({ ...parts, away, stats });
  const routes = platformRoutes(parts);
  const server = await startServer({
    host: options.host,
    port: options.port,
    handle: (request) => (request.path.startsWith('/_sim/') ? control(request) : routes(request)),
  });
  return {
    port: server.port,
    url: server.url,
    apiBaseUrl: server.url,
    sensorsBaseUrl: server.url,
    tokenUrl: `${server.url}/auth/token`,
    client,
    integrations,
    types: parts.types,
    tokens: parts.tokens,
    switches: parts.switches,
    door: state.door,
    stats,
    goDown: server.goDown,
    comeUp: server.comeUp,
    async close() {
      await server.close();
      state.close();
    },
  };
};
