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

/** An integration as the platform knows it. */
export interface Integration {
  readonly id: string;
  readonly enabled: boolean;
  /** Data of its webhook configuration, as the portal stores it. */
  readonly settings: unknown;
}

/**
 * Loads an integration, usually from memory; null when the platform does not know it.
 * @throws RelayError `platform_unavailable` when neither the platform nor any cache has it
 */
export type LoadIntegration = (id: string) => Promise<Integration | null>;

/** Creates a reader of webhook settings that reads each object once. */
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

/** One webhook request, as the handler uses it. */
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

/** Creates the exchange of a Hono context. */
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

/** Rate-limited logs. Each kind has its own limit, so that a flood of one does not hide the others. */
interface WebhookLogs {
  readonly refused: RateLimitedLog;
  readonly failed: RateLimitedLog;
  readonly sos: RateLimitedLog;
}

/** Dependencies of handling a webhook request. */
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
  /** Bytes of bodies that an integration may send per minute. */
  readonly maxBytesPerMinute: number;
  /** Largest body, bytes. */
  readonly maxBodyBytes: number;
  /** Status of the answer to a body that is no envelope. */
  readonly badBodyStatus: 200 | 422;
}
