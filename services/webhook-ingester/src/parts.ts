import type { IncomingMessage } from 'node:http';
import type { Bus, DeadLetters } from '@ranger-relay/bus';
import { readSettings, type ReadSettings } from '@ranger-relay/device';
import { bodyStreamOf, type Context, incomingOf, type RateLimitedLog } from '@ranger-relay/runtime';
import type { ClockGuard } from '@ranger-relay/service';
import type { Context as HonoContext } from 'hono';
import type { ActivityReporter } from './activity-reporter.ts';
import type { Authenticate, Caller } from './auth/authenticate.ts';
import type { ByteBudget, ByteRate, IncomingBody } from './body/read-body.ts';
import type { IngestLimiter } from './ingest-limiter.ts';

/** What the platform knows about an integration. */
export interface Integration {
  readonly id: string;
  readonly enabled: boolean;
  /** Data of its webhook configuration, as the portal stores it. */
  readonly settings: unknown;
}

/**
 * Answers an integration from memory in the steady state; null for one that the platform does not know.
 * @throws RelayError `platform_unavailable` when neither the platform nor any cache has it
 */
export type LoadIntegration = (id: string) => Promise<Integration | null>;

/** Reads webhook settings, each object once. */
export const createSettingsReader = (): ((raw: unknown) => ReadSettings) => {
  const known = new WeakMap<object, ReadSettings>();
  return (raw) => {
    if (typeof raw !== 'object' || raw === null) return readSettings(raw);
    const cached = known.get(raw);
    if (cached) return cached;
    const read = readSettings(raw);
    known.set(raw, read);
    return read;
  };
};

/** One webhook request, as its handling sees it. */
export interface Exchange extends Caller {
  /** The request of the HTTP server. */
  readonly incoming: IncomingMessage | undefined;
  /** Opens the body; at most once. */
  body(): IncomingBody;
  headers(): Readonly<Record<string, string | string[] | undefined>>;
}

const declaredLength = (header: (name: string) => string | undefined): number | undefined => {
  const length = header('content-length');
  return length === undefined || header('transfer-encoding') !== undefined ? undefined : Number(length);
};

/** The request of a Hono context. */
export const exchangeOf = (c: HonoContext): Exchange => {
  const incoming = incomingOf(c);
  const header = (name: string): string | undefined => c.req.header(name);
  return {
    incoming,
    header,
    query: (name) => c.req.query(name),
    peer: incoming?.socket.remoteAddress,
    body: () => ({ stream: bodyStreamOf(c), declared: declaredLength(header) }),
    headers: () => incoming?.headers ?? c.req.header(),
  };
};

/** Log lines at a bounded rate. Each kind has a bound of its own, so that a flood of one hides no other. */
interface WebhookLogs {
  readonly refused: RateLimitedLog;
  readonly failed: RateLimitedLog;
  readonly sos: RateLimitedLog;
}

/** What handling a webhook request works with. */
export interface WebhookDependencies {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics' | 'tracing'>;
  readonly bus: Bus;
  /** Topic of SOS events. */
  readonly emergenciesTopic: string;
  readonly authenticate: Authenticate;
  readonly loadIntegration: LoadIntegration;
  readonly readSettings: (raw: unknown) => ReadSettings;
  readonly reporter: ActivityReporter;
  readonly budget: ByteBudget;
  readonly byteRate: ByteRate;
  readonly limiter: IngestLimiter;
  readonly clockGuard: Pick<ClockGuard, 'problem' | 'reference'>;
  readonly deadLetters: DeadLetters;
  readonly logs: WebhookLogs;
  /** Bytes of bodies that an integration may bring a minute. */
  readonly maxBytesPerMinute: number;
  /** Largest body, bytes. */
  readonly maxBodyBytes: number;
  /** Status of the answer to a body that is no envelope. */
  readonly badBodyStatus: 200 | 422;
}
