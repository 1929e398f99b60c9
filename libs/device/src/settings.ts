import { isObject } from '@ranger-relay/errors';
import { z } from 'zod';

/** Maximum size of an event without its media, bytes of JSON. */
export const eventBytesLimit = 256 * 1024;

const media = 'mediaBytes';
/** Maximum JSON bytes of an escaped character, and of a number or word. */
const characterBytes = 6;
const scalarBytes = 25;

/** Counts the characters of all texts and names of a value without its media, and its values: a cheap upper bound of its JSON size. */
const measure = (value: unknown): { characters: number; values: number } => {
  if (typeof value === 'string') return { characters: value.length, values: 1 };
  const sum = { characters: 0, values: 1 };
  if (typeof value !== 'object' || value === null) return sum;
  for (const [name, member] of Object.entries(value)) {
    if (name === media) continue;
    const { characters, values } = measure(member);
    sum.characters += name.length + characters;
    sum.values += values;
  }
  return sum;
};

const withoutMedia = (key: string, value: unknown): unknown => (key === media ? undefined : value);

/**
 * Whether an event exceeds the limit without its `mediaBytes`. Skips the measurement when the whole body is below the limit, and serialises
 * only events near the limit. The caller must bound the depth of the event first.
 */
export const isTooLarge = (event: unknown, bodyBytes: number): boolean => {
  if (bodyBytes <= eventBytesLimit || typeof event !== 'object' || event === null) return false;
  const { characters, values } = measure(event);
  if (characters * characterBytes + values * scalarBytes <= eventBytesLimit) return false;
  return characters > 2 * eventBytesLimit || Buffer.byteLength(JSON.stringify(event, withoutMedia)) > eventBytesLimit;
};

/** The settings of an integration for its device events (device contract, section 2, webhook settings). */
export interface WebhookSettings {
  readonly includeObservations: boolean;
  readonly includeMessages: boolean;
  /** Message codes whose events become messages. */
  readonly messageCodes: ReadonlySet<number>;
  /** Whether positions 0,0 of devices without a fix are passed on, with a mark. */
  readonly includeNoFix: boolean;
}

/** The settings, with the keys whose values were invalid. */
export interface ReadSettings {
  readonly settings: WebhookSettings;
  /** Keys that use their default because of an invalid value; `webhook_configuration` when the whole value is not an object. */
  readonly ignored: readonly string[];
}

const switchSchema = z.union([z.boolean(), z.stringbool()]);
const codesSchema = z.array(z.coerce.number().int()).max(1_000);

/**
 * The defaults of the webhook settings, as the connector publishes them and the ingester applies them. Each applies only where an integration
 * has no value: a code added to `message_codes` does not reach an integration that lists its codes.
 */
export const webhookDefaults = {
  include_observations: true,
  include_messages: true,
  message_codes: [3],
  include_no_fix: false,
};

/**
 * Reads the webhook settings of an integration. Unknown keys are ignored; missing and null values use their default. Invalid values also
 * use their default and are reported, so that a wrong setting never loses an event.
 */
export const readSettings = (raw: unknown): ReadSettings => {
  const ignored: string[] = isObject(raw) || raw === null || raw === undefined ? [] : ['webhook_configuration'];
  const members = isObject(raw) ? raw : {};
  const read = <T>(key: keyof typeof webhookDefaults, schema: z.ZodType<T>, fallback: T): T => {
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    if (value === undefined || value === null) return fallback;
    const parsed = schema.safeParse(value);
    if (!parsed.success) ignored.push(key);
    return parsed.success ? parsed.data : fallback;
  };
  const settings = {
    includeObservations: read('include_observations', switchSchema, webhookDefaults.include_observations),
    includeMessages: read('include_messages', switchSchema, webhookDefaults.include_messages),
    messageCodes: new Set(read('message_codes', codesSchema, webhookDefaults.message_codes)),
    includeNoFix: read('include_no_fix', switchSchema, webhookDefaults.include_no_fix),
  };
  return { settings, ignored };
};

/** Settings of an integration without any settings. */
export const defaultSettings: WebhookSettings = Object.freeze(readSettings({}).settings);
