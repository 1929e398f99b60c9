import { hash } from 'node:crypto';
import type { DeviceEvent } from './payload.ts';

const ofNothing = hash('sha256', '');

const timeText = (value: unknown, receivedAt: number): string => {
  if (value === undefined || value === null || value === '')
    return new Date(receivedAt).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
};

/**
 * Identity of an event, the same for every repetition of it in whatever body (device contract, section 4, event_id): sha256 hex over the
 * JSON text of [integration, imei, time as sent or the UTC date of receipt, code, latitude, longitude, sha256 of text or payload].
 */
export const eventIdOf = (integrationId: string, event: DeviceEvent, receivedAt: number): string => {
  const content = event.freeText || event.payload;
  const parts = [
    integrationId,
    event.source,
    timeText(event.timeStamp, receivedAt),
    event.messageCode,
    event.point?.latitude ?? null,
    event.point?.longitude ?? null,
    content === '' ? ofNothing : hash('sha256', content),
  ];
  return hash('sha256', JSON.stringify(parts));
};
