import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { IngestLogItem } from './checker.ts';
import { endProcess } from './product.ts';

/** A line of the simulator's ingest log, as its control interface returns it. */
export interface IngestLogLine {
  readonly seq: number;
  /** Number of the request that brought it. */
  readonly request: number;
  readonly at: number;
  /** Address that it came from; null when the connection was already gone. */
  readonly caller: string | null;
  readonly integration: string | null;
  readonly kind: string;
  readonly outcome: string;
  readonly status: number;
  /** The whole answer left; null while that is not decided. */
  readonly answered: boolean | null;
  readonly answered_at: number | null;
  readonly item: {
    readonly source: string;
    readonly text?: string;
    readonly additional: Readonly<Record<string, unknown>>;
  };
}

/** Counts of calls, answers and items. */
export interface PlatformCounts {
  readonly calls: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly items: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly violations: Readonly<Record<string, number>>;
  readonly largest_chunk: number;
}

/** All of what was counted by endpoint or status. */
export const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** A platform simulator in a process of its own. */
export interface PlatformProcess {
  readonly url: string;
  /** Variables that point the product at it. */
  readonly env: Readonly<Record<string, string>>;
  /** The whole ingest log: every item before deduplication, in order of arrival. */
  ingestLog(): Promise<IngestLogLine[]>;
  /** A page of the ingest log from a position on; `next` is the next position, the same position at the end. */
  ingestLogFrom(since: number): Promise<{ readonly entries: readonly IngestLogLine[]; readonly next: number }>;
  stats(): Promise<PlatformCounts>;
  /** Sets a fault switch; resolves with its id. */
  fault(fault: Readonly<Record<string, unknown>>): Promise<string>;
  /** How many requests an active fault has affected so far; a slowed request counts before it waits. */
  struckBy(id: string): Promise<number>;
  /** Clears one fault, or all. */
  repair(id?: string): Promise<void>;
  /** Any other call of the control interface. */
  control(method: string, path: string, body?: object): Promise<unknown>;
  /** @throws Error when a call or an item was not in the platform's grammar */
  end(): Promise<void>;
}

interface Announcement {
  readonly url: string;
  readonly apiBaseUrl: string;
  readonly sensorsBaseUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Variables that point the product at a platform. */
export const variablesOf = (facts: Omit<Announcement, 'url'>): Readonly<Record<string, string>> => ({
  PLATFORM_API_BASE_URL: facts.apiBaseUrl,
  PLATFORM_SENSORS_BASE_URL: facts.sensorsBaseUrl,
  PLATFORM_TOKEN_URL: facts.tokenUrl,
  PLATFORM_CLIENT_ID: facts.clientId,
  PLATFORM_CLIENT_SECRET: facts.clientSecret,
});

/**
 * Reads the ingest log from a position to its end, page by page.
 * @returns the position from which to go on
 */
export const readIngestLog = async (
  { ingestLogFrom }: Pick<PlatformProcess, 'ingestLogFrom'>,
  from: number,
  onLines: (lines: readonly IngestLogLine[]) => void,
): Promise<number> => {
  for (let since = from; ;) {
    const { entries, next } = await ingestLogFrom(since);
    if (next === since) return since;
    onLines(entries);
    since = next;
  }
};

const main = fileURLToPath(new URL('../../../libs/simulators/src/main-platform.ts', import.meta.url));

/** Starts the simulator; its ingest log is in `stateDir`. */
export const startPlatformProcess = async (options: {
  readonly integrations: readonly string[];
  readonly stateDir: string;
  /** Address to listen on; 127.0.0.1 when left out. */
  readonly host?: string;
}): Promise<PlatformProcess> => {
  const child = spawn(process.execPath, ['--conditions=@ranger-relay/source', main], {
    env: {
      PATH: process.env['PATH'],
      SIM_STATE_FILE: join(options.stateDir, 'platform.jsonl'),
      SIM_INTEGRATIONS: options.integrations.join(','),
      SIM_HOST: options.host ?? '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const facts = JSON.parse(line) as Announcement;

  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${facts.url}/_sim/${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };

  const ingestLogFrom: PlatformProcess['ingestLogFrom'] = async (since) =>
    (await control('GET', `ingest-log?since=${since}&limit=10000`)) as { entries: IngestLogLine[]; next: number };

  return {
    url: facts.url,
    env: variablesOf(facts),
    async ingestLog() {
      const lines: IngestLogLine[] = [];
      await readIngestLog({ ingestLogFrom }, 0, (some) => lines.push(...some));
      return lines;
    },
    ingestLogFrom,
    stats: () => control('GET', 'stats') as ReturnType<PlatformProcess['stats']>,
    fault: async (fault) => ((await control('POST', 'switches', fault)) as { id: string }).id,
    async struckBy(id) {
      const faults = (await control('GET', 'switches')) as readonly { id: string; used: number }[];
      const here = faults.find((fault) => fault.id === id);
      if (!here) throw new Error(`fault ${id} is not on`);
      return here.used;
    },
    async repair(id) {
      await control('DELETE', id === undefined ? 'switches' : `switches/${id}`);
    },
    control,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const counts = control('GET', 'stats').finally(() => endProcess(child, 'SIGTERM'));
      const wrong = Object.keys(((await counts) as PlatformCounts).violations);
      if (wrong.length > 0) throw new Error(`calls that the platform refuses: ${wrong.join(', ')}`);
    },
  };
};

const taken = new Set(['stored', 'duplicate']);

/** The platform answered the item's call with 200 and keeps it, or has kept it before. */
export const isTaken = ({ status, outcome }: IngestLogLine): boolean => status === 200 && taken.has(outcome);

/** Lines of calls whose answer the platform broke or cut: the sender cannot know that they were accepted. */
export const unsureLines = (lines: readonly IngestLogLine[]): ReadonlySet<IngestLogLine> => {
  const cut = new Set(
    lines.filter(({ status, outcome }) => status === 200 && !taken.has(outcome)).map(({ request }) => request),
  );
  return new Set(lines.filter(({ request, answered }) => cut.has(request) || answered === false));
};

/** The ingest log in the form in which it is compared; generated events carry their number as altitude. */
export const ingestLogItems = (lines: readonly IngestLogLine[]): IngestLogItem[] =>
  lines.map((line) => ({
    kind: line.kind as IngestLogItem['kind'],
    source: line.item.source,
    n: Number(line.item.additional['altitude']),
    accepted: isTaken(line),
    stored: line.outcome === 'stored',
  }));
