import type { SourceEvent } from '@ranger-relay/contracts';
import type { IncomingMessage } from 'node:http';
import type { Bus, DeadLetters } from '@ranger-relay/bus';
import type { ReadSettings } from '@ranger-relay/device';
import { cutText, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Integrations, WebhookIntegration } from '@ranger-relay/platform';
import {
  bodyStreamOf,
  type Context,
  incomingOf,
  type Random,
  type RateLimitedLog,
  readTraceparent,
  writeTraceparent,
} from '@ranger-relay/runtime';
import type { ClockGuard, SosLog } from '@ranger-relay/service';
import type { Context as HonoContext } from 'hono';
import type { ActivityReporter } from './activity-reporter.ts';
import { failureAnswer } from './answer.ts';
import type { Authenticate, Caller } from './auth/authenticate.ts';
import {
  type ByteBudget,
  type ByteRate,
  type IncomingBody,
  readBody,
  type ReadBody,
  SenderGone,
} from './body/read-body.ts';
import type { IngestLimiter } from './ingest-limiter.ts';
import { drop, sosIn } from './ingest/dropped.ts';
import type { YieldTurn } from './ingest/envelope.ts';
import { ingestBody, type IngestResult } from './ingest/ingest.ts';
import type { WebhookConditions } from './webhook-conditions.ts';

/** Loads an integration, usually from memory; null when the platform does not know it. */
export type LoadIntegration = Integrations['loadIntegration'];

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
  readonly context: Pick<
    Context,
    'service' | 'clock' | 'random' | 'log' | 'metrics' | 'conditions' | 'lifecycle' | 'tracing'
  >;
  readonly bus: Bus;
  readonly authenticate: Authenticate;
  readonly loadIntegration: LoadIntegration;
  readonly readSettings: (raw: unknown) => ReadSettings;
  readonly reporter: ActivityReporter;
  readonly budget: ByteBudget;
  readonly byteRate: ByteRate;
  readonly limiter: IngestLimiter;
  readonly clockGuard: Pick<ClockGuard, 'problem' | 'reference'>;
  readonly deadLetters: DeadLetters;
  readonly sosLog: SosLog;
  readonly conditions: WebhookConditions;
  readonly logs: WebhookLogs;
  /** Bytes of bodies that an integration may send per minute. */
  readonly maxBytesPerMinute: number;
  /** Largest body, bytes. */
  readonly maxBodyBytes: number;
  /** Status of the response to a body that is not an envelope. */
  readonly badBodyStatus: 200 | 422;
}

/** The W3C trace context of a request: the sender's when it is well-formed, else a new one. */
export const traceparentOf = (header: string | undefined, random: Random): string => {
  if (header !== undefined && readTraceparent(header)) return header;
  const newId = (): string => random.uuid().replaceAll('-', '');
  return writeTraceparent({ traceId: newId(), spanId: newId().slice(0, 16), sampled: true });
};

/** Time limit for a complete body, from the start of reading, ms. */
export const bodyTimeoutMs = 10_000;

/** Facts of a request in progress, for its log line. */
interface Progress {
  integrationId?: string;
  /** True once the platform has confirmed the integration. */
  known?: boolean;
  bytes?: number;
  /** SOS events of its body, as far as it was read. */
  sos?: readonly SourceEvent[];
}

const identify = async (
  parts: WebhookDependencies,
  exchange: Exchange,
  progress: Progress,
): Promise<WebhookIntegration> => {
  const id = parts.authenticate(exchange);
  progress.integrationId = id;
  const integration = await parts.loadIntegration(id);
  if (!integration) throw new RelayError('integration_unknown', { details: { integration: id } });
  progress.known = true;
  return integration;
};

/** The server undoes the coding `chunked` of a transfer, and no other. */
const isEncoded = (header: string | undefined, plain: string): boolean =>
  header !== undefined && header !== '' && header.trim().toLowerCase() !== plain;

const receive = (parts: WebhookDependencies, exchange: Exchange, integrationId: string): Promise<ReadBody> => {
  if (
    isEncoded(exchange.header('content-encoding'), 'identity') ||
    isEncoded(exchange.header('transfer-encoding'), 'chunked')
  )
    throw new RelayError('body_encoded');
  const { maxBodyBytes: maxBytes, maxBytesPerMinute: limit, byteRate, budget, context } = parts;
  const admit = (bytes: number): void => {
    if (!byteRate.take(integrationId, bytes)) throw new RelayError('too_many_bytes', { details: { limit } });
  };
  return readBody(exchange.body(), { maxBytes, timeoutMs: bodyTimeoutMs, budget, admit, clock: context.clock });
};

/** Text of a `Version` for a log line; an object is not converted, because its conversion is not safe. */
const versionText = (version: unknown): string =>
  typeof version === 'object' && version !== null ? 'an object' : cutText(String(version), 20);

const knownVersions: ReadonlySet<unknown> = new Set(['1.0', '2.0', '3.0', '4.0']);

const reportResult = (
  { logs, reporter }: WebhookDependencies,
  { id, settings }: WebhookIntegration,
  result: IngestResult,
): void => {
  reporter.handled(id, settings, result);
  const { badBody, version, rejectedSos } = result;
  if (!badBody && !knownVersions.has(version))
    logs.refused.warn(`version.${id}`, { integration: id, version: versionText(version) }, 'unknown envelope version');
  if (rejectedSos > 0)
    logs.sos.error(
      id,
      { integration: id, rejectedSos },
      'SOS events could not be read, or are too large for the bus; they are in the dead letters',
    );
};

/** Body of the response to an ingested body; `rejected` only when it is not empty. */
const resultBody = ({ counts, rejected }: IngestResult): object => ({
  total_observations: counts.observations,
  total_messages: counts.messages,
  ...(rejected.length > 0 ? { rejected } : {}),
});

const accept = async (
  parts: WebhookDependencies,
  exchange: Exchange,
  integration: WebhookIntegration,
  bytes: Uint8Array,
  yieldTurn: YieldTurn,
  progress: Progress,
): Promise<Response> => {
  const { bus, context, clockGuard, deadLetters, reporter } = parts;
  const { clock, random, metrics, tracing } = context;
  const { settings, ignored } = parts.readSettings(integration.settings);
  if (ignored.length > 0) reporter.settingsIgnored(integration.id, ignored);
  const traced = { parent: exchange.header('traceparent'), attributes: { integration_id: integration.id } };
  const result = await tracing.span('webhook', traced, ({ traceparent }) =>
    ingestBody(
      { bus, clock, metrics, deadLetters, sosLog: parts.sosLog },
      {
        integrationId: integration.id,
        settings,
        bytes,
        receivedAt: clock.now(),
        reference: clockGuard.reference(),
        traceparent: traceparentOf(traceparent, random),
        headers: () => exchange.headers(),
        onSos: (events) => void (progress.sos = events),
      },
      yieldTurn,
    ),
  );
  parts.conditions.enabled(integration.id);
  if (progress.sos) parts.conditions.sosStored(progress.sos);
  reportResult(parts, integration, result);
  return Response.json(resultBody(result), { status: result.badBody ? parts.badBodyStatus : 200 });
};

/** The integration, once requests of it can be taken. @throws RelayError `platform_unavailable`, `clock_behind`, … */
const admit = async (
  parts: WebhookDependencies,
  exchange: Exchange,
  progress: Progress,
): Promise<WebhookIntegration> => {
  const integration = await identify(parts, exchange, progress);
  // Checked after the integration lookup, whose platform response can confirm the local clock.
  const problem = parts.clockGuard.problem();
  if (problem !== null) throw new RelayError('clock_behind', { details: { problem } });
  return integration;
};

/** Works on a body when it is its turn, and releases it. */
const processBody = async <T>(
  { limiter }: WebhookDependencies,
  body: ReadBody,
  work: (yieldTurn: YieldTurn) => Promise<T>,
): Promise<T> => {
  try {
    return await limiter.run(body.bytes.length, work);
  } finally {
    body.release();
  }
};

/** Looks for SOS in the body of a request that is refused for a reason of ours: nobody else knows of them. */
const lookForSos = async (parts: WebhookDependencies, exchange: Exchange, progress: Progress): Promise<void> => {
  const { integrationId } = progress;
  if (integrationId === undefined) return;
  const body = await receive(parts, exchange, integrationId);
  progress.sos = await processBody(parts, body, (yieldTurn) => sosIn(parts, integrationId, body.bytes, yieldTurn));
};

const handle = async (parts: WebhookDependencies, exchange: Exchange, progress: Progress): Promise<Response> => {
  const integration = await admit(parts, exchange, progress).catch(async (error: unknown) => {
    if (toRelayError(error).status >= 500) await lookForSos(parts, exchange, progress).catch(() => undefined);
    throw error;
  });
  const body = await receive(parts, exchange, integration.id);
  const { bytes } = body;
  progress.bytes = bytes.length;
  return processBody(parts, body, (yieldTurn) =>
    integration.enabled
      ? accept(parts, exchange, integration, bytes, yieldTurn, progress)
      : drop(parts, integration, bytes, yieldTurn),
  );
};

const fail = (parts: WebhookDependencies, exchange: Exchange, thrown: unknown, progress: Progress): Response => {
  if (thrown instanceof SenderGone) return new Response(null, { status: 400 });
  const error = toRelayError(thrown);
  parts.conditions.refused(error, progress.known || error.status >= 500 ? progress.integrationId : undefined);
  if (progress.sos) parts.conditions.sosNotStored(progress.sos, error);
  if (error.code === 'internal')
    parts.logs.failed.error(
      progress.integrationId ?? '',
      { integration: progress.integrationId, err: thrown },
      'a webhook request failed unexpectedly',
    );
  return failureAnswer(exchange, error, parts.context.clock);
};

/** Handles one webhook request. Every failure becomes a response; metrics and logs contain no texts, positions or credentials. */
export const handleWebhook = async (parts: WebhookDependencies, exchange: Exchange): Promise<Response> => {
  const { clock, metrics, log } = parts.context;
  const start = clock.monotonic();
  const progress: Progress = {};
  const response = await handle(parts, exchange, progress).catch((error: unknown) =>
    fail(parts, exchange, error, progress),
  );
  if (response.ok && progress.integrationId !== undefined) parts.conditions.handled(progress.integrationId);
  const seconds = (clock.monotonic() - start) / 1000;
  metrics.count('relay_webhook_requests_total', { status: String(response.status) });
  metrics.observe('relay_webhook_duration_seconds', seconds);
  const { integrationId, known, bytes } = progress;
  log.debug({ integrationId, known, bytes, status: response.status, seconds }, 'webhook');
  return response;
};
