import { hash } from 'node:crypto';
import { cleanText, isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from '../api-key.ts';
import { actionBudget, type Budget, type BudgetDependencies, withBudget } from '../api.ts';
import { isPlatformAbsence, unavailable } from '../classify.ts';
import { type ListAnswer, type Posted, readListAnswer } from '../list-answer.ts';
import { createSensorsCall, type KeyListener, type PostOptions, type SensorsRequest } from '../sensors.ts';

/** The platform's response to a list of events. Transient failures are thrown instead. */
export type EventsAnswer =
  /**
   * One id for each event, in order. `unsure` when the response to an earlier attempt was lost: the platform may have dropped this list as a
   * repeat, and then does not know these ids.
   */
  | { readonly kind: 'accepted'; readonly ids: readonly string[]; readonly unsure: boolean }
  | Exclude<ListAnswer, { readonly kind: 'accepted' }>;

/** The platform's response to a change of one event, or to a file for it. */
export type ChangeAnswer =
  | { readonly kind: 'accepted' }
  /** The platform has no event with this id. */
  | { readonly kind: 'unknown_event' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Evaluates the response to a list of events.
 * @param unsure whether the response to an earlier attempt was lost
 * @throws RelayError as `readListAnswer`; `platform_unavailable` for a response without an id for each event
 */
const readEventsAnswer = (answer: HttpAnswer, posted: Posted, unsure = false): EventsAnswer => {
  const read = readListAnswer(answer, posted);
  if (read.kind !== 'accepted') return read;
  const ids = read.ids.filter((id) => id !== undefined);
  if (ids.length === posted.count) return { kind: 'accepted', ids, unsure };
  throw unavailable(`${answer.target} answered ${answer.status} without an id for each event`, answer, true);
};

const saysUnknown = (answer: HttpAnswer): boolean => {
  if (answer.status !== 404) return false;
  try {
    return isPlatformAbsence(answer.json());
  } catch {
    return false;
  }
};

/** A proxy in front of the platform may also refuse a file for its size or type. */
const refusesFile = ({ status }: HttpAnswer): boolean => status === 413 || status === 415;

/** Evaluates the response to a change of one event, or to a file for it. @throws RelayError as `readListAnswer` */
const readChangeAnswer = (answer: HttpAnswer, integrationId: string, isFile = false): ChangeAnswer => {
  if (saysUnknown(answer)) return { kind: 'unknown_event' };
  if (isFile && refusesFile(answer))
    return { kind: 'refused', reason: `${answer.target} answered ${answer.status}: ${answer.excerpt()}` };
  const read = readListAnswer(answer, { integrationId, count: 1 });
  if (read.kind === 'accepted') return { kind: 'accepted' };
  return { kind: 'refused', reason: read.kind === 'refused' ? (read.offenders[0]?.reason ?? '') : read.reason };
};

/** A file to send. */
export interface EventFile {
  /** Shown to users. */
  readonly name: string;
  /** Media type, for example `image/jpeg`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A body with its content type. */
interface MultipartBody {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Encodes a name as browsers do: characters that would end the quoted name are percent-encoded. */
const quoted = (name: string): string =>
  cleanText(
    name.replaceAll(/[\r\n"]/g, (sign) => encodeURIComponent(sign)),
    255,
  ) || 'file';

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * Encodes a form with one file. The boundary is the file's digest, which the file cannot contain; that of FormData has only twelve random
 * digits.
 */
const multipartOf = (field: string, { name, type, bytes }: EventFile): MultipartBody => {
  const boundary = hash('sha256', bytes);
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${field}"; filename="${quoted(name)}"`,
    `Content-Type: ${mediaType.test(type) ? type : 'application/octet-stream'}`,
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
};

/** An event for the platform (platform contract, sensors API); the platform drops unknown members. */
export type EventItem = Readonly<Record<string, unknown>>;

/**
 * The platform's events. A refused key is fetched again and the call repeated once. Other failures are retried within the budget of actions (4
 * attempts, 150 s), even when the response was lost: for an hour, the platform drops a repeated event, but not a repeated note.
 * @throws RelayError for everything that does not concern the event: `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous`
 *   when the platform may have processed the call), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`; the signal's reason
 *   once it is aborted
 */
export interface Events {
  /** Creates at most 100 events; the caller splits longer lists. */
  post(integrationId: string, list: readonly EventItem[], options?: PostOptions): Promise<EventsAnswer>;
  /** Changes an event. */
  patch(integrationId: string, objectId: string, change: EventItem, options?: PostOptions): Promise<ChangeAnswer>;
  /** Attaches a file to an event. */
  attach(integrationId: string, objectId: string, file: EventFile, options?: PostOptions): Promise<ChangeAnswer>;
}

const budgetOf = ({ tries = actionBudget.tries }: PostOptions): Budget => ({ ...actionBudget, tries });

const pathOf = (objectId: string): string => `events/${encodeURIComponent(objectId)}/`;

/** Creates the client of `baseUrl` (without a trailing slash). */
export const createEvents = (
  baseUrl: string,
  http: HttpClient,
  keys: ApiKeys,
  tools: BudgetDependencies,
  judged?: KeyListener,
): Events => {
  const call = createSensorsCall(baseUrl, http, keys, judged);

  const change = (
    integrationId: string,
    request: SensorsRequest,
    options: PostOptions = {},
    isFile = false,
  ): Promise<ChangeAnswer> =>
    withBudget(
      budgetOf(options),
      tools,
      () => call(integrationId, request, options, (answer) => readChangeAnswer(answer, integrationId, isFile)),
      options.signal,
    );

  const post: Events['post'] = (integrationId, list, options = {}) => {
    let unsure = false;
    const once = (): Promise<EventsAnswer> =>
      call(integrationId, { method: 'POST', path: 'events/', json: list }, options, (answer) =>
        readEventsAnswer(answer, { integrationId, count: list.length }, unsure),
      ).catch((error: unknown) => {
        unsure ||= isRelayError(error) && error.ambiguous;
        throw error;
      });
    return withBudget(budgetOf(options), tools, once, options.signal);
  };

  return {
    post,
    patch: (integrationId, objectId, json, options) =>
      change(integrationId, { method: 'PATCH', path: pathOf(objectId), json }, options),
    attach: (integrationId, objectId, file, options) => {
      const path = `${pathOf(objectId)}attachments/`;
      return change(integrationId, { method: 'POST', path, ...multipartOf('file', file) }, options, true);
    },
  };
};
