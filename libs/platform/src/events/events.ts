import { hash } from 'node:crypto';
import { cleanText } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from '../api-key.ts';
import { isPlatformAbsence, readJson } from '../classify.ts';
import { type ListAnswer, readListAnswer } from '../list-answer.ts';
import { createSensorsCall, type KeyListener, type PostOptions, type SensorsRequest } from '../sensors.ts';

/** The platform's response to a change of one event, or to a file for it. */
export type ChangeAnswer =
  | { readonly kind: 'accepted' }
  /** The platform has no event with this id. */
  | { readonly kind: 'unknown_event' }
  | { readonly kind: 'refused'; readonly reason: string };

const saysUnknown = (answer: HttpAnswer): boolean => answer.status === 404 && isPlatformAbsence(readJson(answer));

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
const multipartOf = (field: string, { name, type, bytes }: EventFile) => {
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
 * The platform's events. A refused key is fetched again and the call repeated once; the caller retries after other failures.
 * @throws RelayError for everything that does not concern the event: `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous`
 *   when the platform may have processed the call), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`
 */
export interface Events {
  /** Creates at most 100 events; the caller splits longer lists. */
  post(integrationId: string, list: readonly EventItem[], options?: PostOptions): Promise<ListAnswer>;
  /** Changes an event. */
  patch(integrationId: string, objectId: string, change: EventItem, options?: PostOptions): Promise<ChangeAnswer>;
  /** Attaches a file to an event. */
  attach(integrationId: string, objectId: string, file: EventFile, options?: PostOptions): Promise<ChangeAnswer>;
}

const pathOf = (objectId: string): string => `events/${encodeURIComponent(objectId)}/`;

/** Creates the client of `baseUrl` (without a trailing slash). */
export const createEvents = (baseUrl: string, http: HttpClient, keys: ApiKeys, judged?: KeyListener): Events => {
  const call = createSensorsCall(baseUrl, http, keys, judged);

  const change = (
    integrationId: string,
    request: SensorsRequest,
    options: PostOptions = {},
    isFile = false,
  ): Promise<ChangeAnswer> =>
    call(integrationId, request, options, (answer) => readChangeAnswer(answer, integrationId, isFile));

  return {
    post: (integrationId, list, options = {}) =>
      call(integrationId, { method: 'POST', path: 'events/', json: list }, options, (answer) =>
        readListAnswer(answer, { integrationId, count: list.length }),
      ),
    patch: (integrationId, objectId, json, options) =>
      change(integrationId, { method: 'PATCH', path: pathOf(objectId), json }, options),
    attach: (integrationId, objectId, file, options) => {
      const path = `${pathOf(objectId)}attachments/`;
      return change(integrationId, { method: 'POST', path, ...multipartOf('file', file) }, options, true);
    },
  };
};
