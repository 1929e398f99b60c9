import { hash } from 'node:crypto';
import type { DeviceEvent } from './payload.ts';

const ofNothing = hash('sha256', '');
const sosSlotMs = 1_800_000;

/** When an event was received, ms since 1970, and whether that stands in for the unusable time of an emergency. */
export interface IdentityTime {
  readonly receivedAt: number;
  readonly sosWithoutTime: boolean;
}

const timeText = (value: unknown, { receivedAt, sosWithoutTime }: IdentityTime): string => {
  // Tomorrow's SOS of a device without a clock is another one; its repetition within the half hour is not.
  if (sosWithoutTime) return new Date(receivedAt - (receivedAt % sosSlotMs)).toISOString();
  if (value === undefined || value === null || value === '')
    return new Date(receivedAt).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
};

/**
 * Identity of an event, the same for every repetition of it in whatever body (device contract, section 4, event_id): sha256 hex over the
 * JSON text of [integration, imei, time, code, latitude, longitude, sha256 of text or payload, media id if any]. The time is as sent;
 * without one the UTC date of receipt; of an SOS without a usable one the half hour of receipt.
 */
export const eventIdOf = (integrationId: string, event: DeviceEvent, time: IdentityTime): string => {
  const content = event.freeText || event.payload;
  const parts = [
    integrationId,
    event.source,
    timeText(event.timeStamp, time),
    event.messageCode,
    event.point?.latitude ?? null,
    event.point?.longitude ?? null,
    content === '' ? ofNothing : hash('sha256', content),
    ...(event.mediaId === null ? [] : [event.mediaId]),
  ];
  return hash('sha256', JSON.stringify(parts));
};
