import { isUnknownTrigger } from '@ranger-relay/contracts';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { ExecuteRequest } from '../../execute/request.ts';
import { answerOf, respond } from '../responses.ts';
import { readJson } from '../envelope.ts';
import { readAs, type Read } from '../malformed.ts';
import type { HandlerDependencies, Incoming } from '../dependencies.ts';
import { executeBodySchema, type ExecuteBody, type UnsavedBody } from '../schemas.ts';
import { runInBackground } from './command.ts';

const unsavedOf = ({ type_value: type, base_url: baseUrl, configurations }: UnsavedBody) => ({
  type: type ?? null,
  baseUrl: baseUrl ?? null,
  configurations: Object.fromEntries((configurations ?? []).map(({ action_value: id, data }) => [id, data ?? null])),
});

const requestOf = (body: ExecuteBody): ExecuteRequest => ({
  integration: body.integration_id ? { id: body.integration_id } : { unsaved: unsavedOf(body.integration_state ?? {}) },
  wanted: { actionId: body.action_id },
  overrides: body.config_overrides ?? null,
  triggeredBy: body.triggered_by ?? 'manual',
});

/** The response when a request could not be published; a bus that is down leads to a 503. */
const refusedBackground = (thrown: unknown): Response => {
  const { code, message, next, status } = toRelayError(thrown);
  const body = { detail: { code, error: message } };
  return next === 'retry' ? respond({ status: 503, body, retryAfterMs: 10_000 }) : respond({ status, body });
};

const run = async (parts: HandlerDependencies, body: ExecuteBody): Promise<Response> => {
  const request = requestOf(body);
  if (!body.run_in_background) return respond(answerOf(await parts.runtime.execute(request), 'execute'));
  try {
    await runInBackground(parts, request, body.action_id);
  } catch (error) {
    return refusedBackground(error);
  }
  return respond({ status: 200, body: { message: `${body.action_id} will be run` } });
};

const readBody = async (parts: HandlerDependencies, incoming: Incoming): Promise<Read<ExecuteBody>> => {
  const body = await parts.readBody(incoming.body);
  try {
    if (body.tooLarge) throw new RelayError('body_too_large', { details: { limit: parts.maxBodyBytes } });
    const json = readJson(body.bytes, ['body']);
    if (!json.ok) return json;
    const read = readAs(executeBodySchema, json.value, ['body']);
    if (read.ok && isUnknownTrigger((json.value as Partial<ExecuteBody>).triggered_by))
      parts.context.metrics.count('relay_unknown_triggers_total');
    return read;
  } finally {
    body.release();
  }
};

/** `POST /v1/actions/execute`: runs an action and returns its result. */
export const executeHandler = async (parts: HandlerDependencies, incoming: Incoming): Promise<Response> => {
  const read = await readBody(parts, incoming);
  return read.ok ? run(parts, read.value) : respond({ status: 422, body: { detail: read.detail } });
};
