import type { PushInput } from './parts.ts';

const typeOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'event_type' in data ? data.event_type : undefined;

/**
 * Whether pushed data is a text to devices (device contract, section 7).
 * @param wanted PUSH_MESSAGE_EVENT_TYPE: a name, or the start of one when it ends in `*`
 */
export const isPushMessage = ({ data }: Pick<PushInput, 'data'>, wanted: string): boolean => {
  const type = typeOf(data);
  if (typeof type !== 'string') return false;
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
};
