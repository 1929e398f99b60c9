import { pick, type Random } from '../time/random.ts';
import type { DeviceEvent } from './device-event.ts';

const without = (event: DeviceEvent, member: keyof DeviceEvent): unknown => {
  const copy: Partial<DeviceEvent> = { ...event };
  delete copy[member];
  return copy;
};

/** Events that the ingester must reject while their neighbours pass, by the code it gives. */
const makers = {
  missing_imei: (event: DeviceEvent): unknown => without(event, 'imei'),
  missing_message_code: (event: DeviceEvent): unknown => without(event, 'messageCode'),
  bad_time: (event: DeviceEvent): unknown => ({ ...event, messageCode: 0, timeStamp: 'yesterday' }),
  bad_number: (event: DeviceEvent): unknown => ({
    ...event,
    messageCode: 0,
    point: { ...event.point, latitude: '1°17′S' },
  }),
  not_an_object: (): unknown => 'position',
} as const;

/** Why a bad event is rejected. */
export type BadReason = keyof typeof makers;

const reasons: readonly [BadReason, ...BadReason[]] = [
  'missing_imei',
  'missing_message_code',
  'bad_time',
  'not_an_object',
  'bad_number',
];

/** Spoils a copy of an event. */
export const spoil = (event: DeviceEvent, random: Random): { reason: BadReason; payload: unknown } => {
  const reason = pick(random, reasons);
  return { reason, payload: makers[reason](event) };
};
