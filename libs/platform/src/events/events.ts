import { hash } from 'node:crypto';
import { cleanText, isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from '../api-key.ts';
import { actionBudget, type Budget, type BudgetDependencies, withBudget } from '../api.ts';
import { isPlatformAbsence, unavailable } from '../classify.ts';
import { type ListAnswer, type Posted, readListAnswer } from '../list-answer.ts';
import { createSensorsCall, type PostOptions, type SensorsRequest } from '../sensors.ts';

/** How the platform answered a list of events. What is transient is thrown instead. */
export type EventsAnswer =
  /**
   * One id for each event, in order. `unsure` when the answer of an earlier try was lost: the platform may have dropped this one as a
   * repeat, and then does not know these ids.
   */
  | { readonly kind: 'accepted'; readonly ids: readonly string[]; readonly unsure: boolean }
  | Exclude<ListAnswer, { readonly kind: 'accepted' }>;

/** How the platform answered a change of one event, or a file for it. */
export type ChangeAnswer =
  | { readonly kind: 'accepted' }
  /** The platform has no event of this id. */
  | { readonly kind: 'unknown_event' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * What the answer to a posted list of events means; `unsure` when the answer of an earlier try was lost.
 * @throws RelayError as `readListAnswer`; `platform_unavailable` for an answer without an id for each event
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

/** A file of a size or type that is not taken is refused by whatever stands in front of the platform, too. */
const refusesFile = ({ status }: HttpAnswer): boolean => status === 413 || status === 415;

/** What the answer to a change of one event, or to a file for it, means. @throws RelayError as `readListAnswer` */
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
  /** Shown to people. */
  readonly name: string;
  /** Media type, as `image/jpeg`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A body with its content type. */
interface MultipartBody {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Names as browsers write them: what would end the quoted name is percent-encoded. */
const quoted = (name: string): string =>
  cleanText(
    name.replaceAll(/[\r\n"]/g, (sign) => encodeURIComponent(sign)),
    255,
  ) || 'file';

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** A form with one file in one field. No file holds its own digest, which therefore divides the parts; that of FormData has twelve random digits. */
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

/** An event as the platform takes it (platform contract, sensors API); members that it does not know are dropped there. */
export type EventItem = Readonly<Record<string, unknown>>;

/**
 * The platform's events. A refused key is fetched again and the call made once more; what may help is tried within the budget of actions
 * (4 tries, 150 s in all), a try whose answer was lost included: the platform drops the same event for an hour, but not a repeated note.
 * @throws RelayError for everything that is not about the event: `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous`
 *   when it may have been carried out), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`; the signal's reason once it is aborted
 */
export interface Events {
  /** Creates at most 100 events; the caller cuts the list. */
  post(integrationId: string, list: readonly EventItem[], options?: PostOptions): Promise<EventsAnswer>;
  /** Makes one change of an event. */
  patch(integrationId: string, objectId: string, change: EventItem, options?: PostOptions): Promise<ChangeAnswer>;
  /** Adds one file to an event. */
  attach(integrationId: string, objectId: string, file: EventFile, options?: PostOptions): Promise<ChangeAnswer>;
}

const budgetOf = ({ tries = actionBudget.tries }: PostOptions): Budget => ({ ...actionBudget, tries });

const pathOf = (objectId: string): string => `events/${encodeURIComponent(objectId)}/`;

/** Makes the client of `baseUrl` (without a last slash). */
export const createEvents = (baseUrl: string, http: HttpClient, keys: ApiKeys, tools: BudgetDependencies): Events => {
  const call = createSensorsCall(baseUrl, http, keys);

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
