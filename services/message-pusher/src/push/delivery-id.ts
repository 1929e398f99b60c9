import { hash } from 'node:crypto';
import type { PushInput } from './parts.ts';

const longest = 200;

/** The platform writes "none" as a word. */
const present = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value !== 'None' ? value.trim() : undefined;

const eventIdOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'event_id' in data ? data.event_id : undefined;

const bounded = (id: string): string => (id.length > longest ? `sha256:${hash('sha256', id)}` : id);

/**
 * What tells one text from another (device contract, section 7): the attribute, else the data's `event_id`, else the envelope's message
 * id. A record of a bus without any is known by its place; anything else by what it holds.
 */
export const deliveryIdOf = (
  input: Pick<PushInput, 'attributes' | 'data' | 'messageId' | 'origin'>,
  attribute: string,
): string => {
  const { attributes, data, messageId, origin } = input;
  const id = present(attributes[attribute]) ?? present(eventIdOf(data)) ?? present(messageId);
  if (id !== undefined) return bounded(id);
  if (origin) return bounded(`${origin.topic}:${origin.partition}:${origin.offset}`);
  return `sha256:${hash('sha256', JSON.stringify(data) ?? '')}`;
};
