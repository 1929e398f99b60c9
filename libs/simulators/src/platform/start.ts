import { absencesOf, type Listen, startServer } from '../http/server.ts';
import { fileJournal } from '../journal/file-journal.ts';
import { type Journal, memoryJournal } from '../journal/journal.ts';
import { createSwitchBoard, type SwitchBoard } from '../switches/fault-registry.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { type AnswerLog, createAnswerLog } from './answer-log.ts';
import { platformControl } from './control.ts';
import { createDedup, type Dedup } from './dedup.ts';
import { createIngestLog, type IngestLog, type IngestLogEntry } from './ingest-log.ts';
import { type IntegrationBook, type IntegrationChange, openIntegrations } from './integrations.ts';
import { platformRoutes, type RouteDependencies } from './routes.ts';
import type { EventBook } from './sensors/parts.ts';
import { type Counting, createCounting, type PlatformStats } from './stats.ts';
import { createTokens, type TokenClient, type Tokens, type TokenSettings } from './tokens.ts';
import { createTypes, type TypeBook } from './types.ts';

/** Deduplication marks of the platform; with a file, they survive a restart. */
interface PlatformState {
  readonly ingestLog: IngestLog;
  readonly answers: AnswerLog;
  readonly dedup: Dedup;
  readonly counting: Counting;
  readonly events: EventBook;
  close(): void;
}

/** Where the state lives and how much of it. */
interface StateOptions {
  readonly clock: Clock;
  readonly stateFile?: string | undefined;
  /** Lines of the ingest log kept in memory without a state file. */
  readonly ingestLogLimit: number;
}

const marking = new Set(['stored', 'duplicate', 'marked']);

/** Opens the state, rebuilding dedup marks, counts and event ids from the file. */
const openState = ({ clock, stateFile, ingestLogLimit }: StateOptions): PlatformState => {
  const dedup = createDedup(clock);
  const counting = createCounting();
  const events = new Map<string, string>();
  const replay = (line: string): void => {
    const entry = JSON.parse(line) as IngestLogEntry;
    counting.item(entry);
    if (entry.integration === null || !marking.has(entry.outcome)) return;
    if (entry.kind === 'event' && entry.outcome === 'stored' && entry.object_id !== undefined)
      events.set(entry.object_id, entry.integration);
    if (entry.kind === 'event' || entry.kind === 'observation' || entry.kind === 'message')
      dedup.seen(entry.kind, entry.integration, entry.item as Record<string, unknown>, entry.at);
  };
  const journal: Journal = stateFile === undefined ? memoryJournal(ingestLogLimit) : fileJournal(stateFile, replay);
  const ends = stateFile === undefined ? undefined : fileJournal(`${stateFile}.answers`);
  const answers = createAnswerLog(clock, ends);
  return {
    dedup,
    counting,
    answers,
    ingestLog: createIngestLog(journal, answers, clock),
    events: {
      has: (id, integration) => events.has(id) && events.get(id) === integration,
      add: (id, integration) => void events.set(id, integration),
    },
    close() {
      answers.close();
      ends?.close();
      journal.close();
    },
  };
};

/** How to start a simulated platform. */
export interface PlatformOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
  /** JSON-lines file of the ingest log. With it, items, dedup marks and (in files beside it) integrations survive a kill. */
  readonly stateFile?: string;
  /** Without a state file: lines of the ingest log kept in memory, default 100,000. */
  readonly ingestLogLimit?: number;
  readonly client?: TokenClient;
  readonly tokens?: Partial<TokenSettings>;
  /** Integrations that exist from the start. */
  readonly integrations?: readonly (IntegrationChange & { readonly id: string })[];
  /** Scheme and host in the list's `next` links. */
  readonly linkBase?: string;
  /** Opens the port; default: a real one. */
  readonly listen?: Listen;
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
  readonly ingestLog: IngestLog;
  stats(): PlatformStats;
  /** Breaks every connection and refuses new ones until `comeUp`. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

const defaultClient: TokenClient = { id: 'relay', secret: 'relay-secret' };

/** Starts a platform that behaves as the platform contract says. @throws the system's error when it cannot listen */
export const startPlatform = async (options: PlatformOptions): Promise<PlatformSimulator> => {
  const { clock, random, stateFile, client = defaultClient, listen = startServer } = options;
  const state = openState({ clock, stateFile, ingestLogLimit: options.ingestLogLimit ?? 100_000 });
  const book = stateFile === undefined ? undefined : `${stateFile}.integrations`;
  const integrations = openIntegrations(random, book);
  for (const integration of options.integrations ?? [])
    if (!integrations.get(integration.id)) integrations.put(integration);
  const parts: RouteDependencies = {
    ...state,
    clock,
    random,
    integrations,
    switches: createSwitchBoard(),
    types: createTypes(),
    tokens: createTokens(client, clock, random, options.tokens),
    linkBase: options.linkBase ?? 'https://integrations.internal',
  };
  const stats = state.counting.read;
  const { awaySoon, close } = absencesOf(clock, () => server);
  const control = platformControl({ ...parts, away: awaySoon, stats });
  const routes = platformRoutes(parts);
  const server = await listen({
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
    ingestLog: state.ingestLog,
    stats,
    goDown: server.goDown,
    comeUp: server.comeUp,
    async close() {
      await close();
      state.close();
    },
  };
};
