import { createEventMapper, defaultSettings } from '@ranger-relay/device';

/** Device of every test event, and source at the platform: no real device has this number. */
export const probeDevice = 'ranger-relay-probe';

const positionReport = 0;

/** Position of the test event, degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** In the sea, far from every park. */
export const nowhere: Position = { latitude: 0, longitude: 0 };

/** A test event, ready to be posted. */
export interface ProbeEvent {
  readonly body: string;
  /** Identity that the webhook gives to it. */
  readonly eventId: string;
}

/** A plain position of the test device: no text, no SOS, and never the same event twice. `at` is its time, ms since 1970. */
export const probeEvent = (integration: string, at: number, { latitude, longitude }: Position): ProbeEvent => {
  const event = {
    imei: probeDevice,
    messageCode: positionReport,
    freeText: null,
    timeStamp: at,
    addresses: [],
    point: { latitude, longitude, altitude: 0, gpsFix: 2, course: 0, speed: 0 },
    status: { autonomous: 0, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
  };
  const body = JSON.stringify({ Version: '3.0', Events: [event] });
  const map = createEventMapper({
    integrationId: integration,
    settings: defaultSettings,
    receivedAt: at,
    reference: at,
    bodyBytes: Buffer.byteLength(body),
  });
  const mapped = map(event);
  if (mapped.kind !== 'mapped') throw new TypeError(`a test event must be mapped, not ${mapped.kind}`);
  return { body, eventId: mapped.record.event_id };
};
