import { cutText, RelayError, toRelayError } from '@ranger-relay/errors';
import { failureAnswer, jsonAnswer, nothingTaken, resultBody } from './answer.ts';
import { readBody, SenderGone, type ReadBody } from './body/read-body.ts';
import type { Exchange } from './exchange.ts';
import { safeHeaders } from './ingest/dead-letter.ts';
import { readEnvelope } from './ingest/envelope.ts';
import { ingestBody, type IngestResult } from './ingest/ingest.ts';
import { isSos } from './ingest/sos.ts';
import type { Integration } from './integration.ts';
import type { WebhookParts } from './parts.ts';
import { traceparentOf } from './trace.ts';

/** A body must be complete within so many milliseconds of being asked for. */
export const bodyTimeoutMs = 10_000;

/** What is known of a request while it is handled, for its log line. */
interface Progress {
  integrationId?: string;
  bytes?: number;
}

const identify = async (parts: WebhookParts, exchange: Exchange, progress: Progress): Promise<Integration> => {
  const id = await parts.authenticate(exchange);
  progress.integrationId = id;
  const integration = await parts.loadIntegration(id);
  if (!integration) throw new RelayError('integration_unknown', { details: { integration: id } });
  return integration;
};

const receive = (parts: WebhookParts, exchange: Exchange): Promise<ReadBody> => {
  const encoding = exchange.header('content-encoding');
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw new RelayError('body_encoded');
  const { maxBodyBytes: maxBytes, budget, context } = parts;
  return readBody(exchange.body(), { maxBytes, timeoutMs: bodyTimeoutMs, budget, clock: context.clock });
};

/** A body that is no envelope counts as one event. */
const eventsOf = (bytes: Uint8Array): readonly unknown[] => {
  try {
    return readEnvelope(bytes).events;
  } catch (error) {
    if (toRelayError(error).code === 'too_many_events') throw error;
    return [undefined];
  }
};

/** Disabled: counted, not stored (device contract, section 2). An emergency that is dropped is said aloud. */
const drop = ({ context: { metrics, log } }: WebhookParts, id: string, bytes: Uint8Array): Response => {
  const events = eventsOf(bytes);
  const emergencies = events.filter(isSos).length;
  metrics.count('relay_webhook_events_total', { outcome: 'dropped_disabled' }, events.length);
  metrics.count('relay_sos_events_total', { outcome: 'dropped_disabled' }, emergencies);
  if (emergencies > 0)
    log.error({ integration: id, emergencies }, 'SOS events were dropped, because their integration is disabled');
  return jsonAnswer(nothingTaken);
};

const tell = ({ context, notices }: WebhookParts, integration: Integration, result: IngestResult): void => {
  notices.handled(integration.id, integration.settings, result);
  if (result.rejected.length === 0) return;
  const { rejectedSos } = result;
  const codes = Object.fromEntries(result.rejected.map(({ code }) => [code, 0]));
  for (const { code } of result.rejected) codes[code] = (codes[code] ?? 0) + 1;
  context.log[rejectedSos > 0 ? 'error' : 'warn'](
    { integration: integration.id, codes, ...(rejectedSos > 0 ? { rejectedSos } : {}) },
    result.badBody ? 'a webhook body could not be read' : 'some events of a webhook body were rejected',
  );
};

/** What of a `Version` is fit for a log line; an object has no text that could be asked for safely. */
const versionText = (version: unknown): string =>
  typeof version === 'object' && version !== null ? 'an object' : cutText(String(version), 20);

const knownVersions: ReadonlySet<unknown> = new Set(['1.0', '2.0', '3.0', '4.0']);

const accept = async (
  parts: WebhookParts,
  exchange: Exchange,
  integration: Integration,
  bytes: Uint8Array,
): Promise<Response> => {
  const { bus, emergenciesTopic, context, notices } = parts;
  const { clock, random, metrics, log, tracing } = context;
  const { settings, ignored } = parts.readSettings(integration.settings);
  if (ignored.length > 0) notices.settingsIgnored(integration.id, ignored);
  try {
    const traced = { parent: exchange.header('traceparent'), attributes: { integration_id: integration.id } };
    const result = await tracing.span('webhook', traced, ({ traceparent }) =>
      ingestBody(
        { bus, emergenciesTopic, clock, random, metrics },
        {
          integrationId: integration.id,
          settings,
          bytes,
          receivedAt: clock.now(),
          traceparent: traceparentOf(traceparent, random),
          headers: () => safeHeaders(exchange.headers()),
        },
      ),
    );
    if (!result.badBody && !knownVersions.has(result.version))
      log.info({ integration: integration.id, version: versionText(result.version) }, 'unknown envelope version');
    tell(parts, integration, result);
    return jsonAnswer(resultBody(result), result.badBody ? parts.badBodyStatus : 200);
  } catch (error) {
    notices.failed(integration.id, integration.settings, toRelayError(error));
    throw error;
  }
};

const handle = async (parts: WebhookParts, exchange: Exchange, progress: Progress): Promise<Response> => {
  const integration = await identify(parts, exchange, progress);
  const body = await receive(parts, exchange);
  progress.bytes = body.bytes.length;
  try {
    return integration.enabled
      ? await accept(parts, exchange, integration, body.bytes)
      : drop(parts, integration.id, body.bytes);
  } finally {
    body.release();
  }
};

const fail = ({ context }: WebhookParts, exchange: Exchange, thrown: unknown, progress: Progress): Response => {
  if (thrown instanceof SenderGone) return new Response(null, { status: 400 });
  const error = toRelayError(thrown);
  const facts = { integration: progress.integrationId, code: error.code };
  if (error.code === 'internal') context.log.error({ ...facts, err: thrown }, 'a webhook request failed unexpectedly');
  else if (error.status >= 500) context.log.warn({ ...facts, problem: error.message }, 'a webhook request was put off');
  else context.log.info(facts, 'a webhook request was refused');
  return failureAnswer(exchange, error, context.clock);
};

/** Handles one webhook request: every failure is an answer, measured and logged without texts, positions or credentials. */
export const handleWebhook = async (parts: WebhookParts, exchange: Exchange): Promise<Response> => {
  const { clock, metrics, log } = parts.context;
  const start = clock.monotonic();
  const progress: Progress = {};
  const answer = await handle(parts, exchange, progress).catch((error: unknown) =>
    fail(parts, exchange, error, progress),
  );
  const seconds = (clock.monotonic() - start) / 1000;
  metrics.count('relay_webhook_requests_total', { status: String(answer.status) });
  metrics.observe('relay_webhook_duration_seconds', seconds);
  log.debug({ ...progress, status: answer.status, seconds }, 'webhook');
  return answer;
};
