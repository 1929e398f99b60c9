import { activityLevel, type ActivityEventType } from '@ranger-relay/contracts';
import { cleanJson, cutText } from '@ranger-relay/errors';
import { redact } from '@ranger-relay/runtime';

/** Fields of an entry beside the integration; what they hold is up to the type of the entry. */
export type Payload = Readonly<Record<string, unknown>>;

/** One entry before it is written. */
export interface EntryDraft {
  readonly eventId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly type: ActivityEventType;
  readonly integrationId: string;
  /** `action_id` or `webhook_id`. */
  readonly subject: { readonly action_id: string } | { readonly webhook_id: string };
  readonly payload: Payload;
}

/** The platform cuts texts of entries at so many characters. */
const textLength = 200;
/** No entry is longer, so that no batch of entries is too large for its topic. */
const entryLength = 65_536;

const levels = new Set<unknown>(Object.values(activityLevel));

const cut = (value: unknown): unknown => (typeof value === 'string' ? cutText(value, textLength) : value);

const asResult = (value: unknown): unknown =>
  value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))
    ? (value ?? null)
    : { result: value };

const shaped = (type: ActivityEventType, payload: Payload): Payload => {
  if (type.endsWith('Complete')) return { ...payload, result: asResult(payload['result']) };
  if (type === 'IntegrationWebhookFailed') return { error: cut(payload['error'] ?? '') };
  if (type.endsWith('Failed')) return { ...payload, error: cut(payload['error'] ?? '') };
  if (!type.endsWith('CustomLog')) return payload;
  const { title, level, data } = payload;
  return {
    title: cut(typeof title === 'string' ? title : ''),
    level: levels.has(level) ? level : activityLevel.info,
    data: data ?? {},
  };
};

const write = ({ eventId, at, type, integrationId, subject }: EntryDraft, payload: Payload): string =>
  cleanJson({
    event_id: eventId,
    timestamp: new Date(at).toISOString(),
    schema_version: 'v1',
    event_type: type,
    payload: { integration_id: integrationId, ...subject, ...payload },
  });

/** The record's value: shaped as its type asks, without secrets, of bounded length (platform contract, activity-log events). */
export const writeEntry = (draft: EntryDraft): string => {
  const payload = redact(shaped(draft.type, draft.payload));
  const whole = write(draft, payload);
  if (whole.length <= entryLength) return whole;
  const { title, level, error } = payload;
  const tooLong = { too_long: true };
  return write(draft, {
    ...(title === undefined ? {} : { title, level, data: tooLong }),
    ...(error === undefined ? {} : { error }),
    ...(draft.type.endsWith('Complete') ? { result: tooLong } : {}),
  });
};
