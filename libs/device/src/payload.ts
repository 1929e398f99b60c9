import { cleanText, cutText } from '@ranger-relay/errors';

/** A number, boolean or short text that is passed on unchanged; null when the event has none. */
export type Scalar = number | string | boolean | null;

/** `point` of an event. Coordinates are finite or null; units as in the device contract, section 1. */
export interface DevicePoint {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly altitude: Scalar;
  readonly gpsFix: Scalar;
  readonly course: Scalar;
  readonly speed: Scalar;
}

/** `status` of an event; members that the vendor omitted are null. */
export interface DeviceStatus {
  readonly autonomous: Scalar;
  readonly lowBattery: Scalar;
  readonly intervalChange: Scalar;
  readonly resetDetected: Scalar;
}

/** One event of the vendor, with each member normalised for the mapping rules. */
export interface DeviceEvent {
  /** The device; the first one of a list. */
  readonly source: string;
  /** All devices, when the vendor named several. */
  readonly imeis: readonly string[] | null;
  readonly messageCode: number;
  /** As sent, for `event_id` and for parsing. */
  readonly timeStamp: unknown;
  readonly freeText: string;
  readonly payload: string;
  readonly addresses: readonly string[];
  readonly point: DevicePoint | null;
  readonly status: DeviceStatus;
  readonly transportMode: string | null;
  readonly mediaId: string | null;
  readonly mediaType: string | null;
  readonly transcription: string | null;
}

/** The reason why an event cannot be read. */
export type UnreadableCode = 'not_an_object' | 'missing_imei' | 'missing_message_code';

/** Maximum devices of a joined list, and maximum addresses of an event, that are passed on. */
export const listLimit = 100;
const scalarLimit = 200;
const imeiLimit = 64;

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, not a list. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nothing: Members = Object.freeze({});

const finite = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

const scalar = (value: unknown): Scalar => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string') return cutText(value, scalarLimit);
  return typeof value === 'boolean' ? value : null;
};

/** Converts a text, number or boolean to text; any other value becomes an empty text, because an object's conversion may throw. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
};

const shortText = (value: unknown): string | null => cutText(textOf(value), scalarLimit) || null;

const readImeis = (value: unknown): string[] => {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? [String(value)] : [];
  if (typeof value !== 'string') return [];
  const listed = value.includes(',') ? value.slice(0, listLimit * (imeiLimit + 1)).split(',', listLimit) : [value];
  return listed.map((imei) => cleanText(imei).trim()).filter((imei) => imei !== '' && imei.length <= imeiLimit);
};

const readCode = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : undefined;
};

const readPoint = (value: unknown): DevicePoint | null => {
  if (!isObject(value)) return null;
  return {
    latitude: finite(value['latitude']),
    longitude: finite(value['longitude']),
    altitude: scalar(value['altitude']),
    gpsFix: scalar(value['gpsFix']),
    course: scalar(value['course']),
    speed: scalar(value['speed']),
  };
};

const readStatus = (value: unknown): DeviceStatus => {
  const status = isObject(value) ? value : nothing;
  return {
    autonomous: scalar(status['autonomous']),
    lowBattery: scalar(status['lowBattery']),
    intervalChange: scalar(status['intervalChange']),
    resetDetected: scalar(status['resetDetected']),
  };
};

const readAddresses = (value: unknown): string[] => {
  if (!Array.isArray(value) || value.length === 0) return [];
  return value
    .slice(0, listLimit)
    .map((item: unknown) => cutText(textOf(isObject(item) ? item['address'] : item), scalarLimit))
    .filter((address) => address !== '');
};

/**
 * Reads one event of an envelope. Null, missing and unknown members are equivalent. Only the forms named in the device contract, section 1,
 * are read, so that only a missing identity makes an event unreadable. Parsed by hand, because no single other member may reject an event,
 * and each one is bounded.
 */
export const readEvent = (value: unknown): DeviceEvent | UnreadableCode => {
  if (!isObject(value)) return 'not_an_object';
  const imeis = readImeis(value['imei']);
  const [source] = imeis;
  if (source === undefined) return 'missing_imei';
  const messageCode = readCode(value['messageCode']);
  if (messageCode === undefined) return 'missing_message_code';
  return {
    source,
    imeis: imeis.length > 1 ? imeis : null,
    messageCode,
    timeStamp: value['timeStamp'],
    freeText: textOf(value['freeText']),
    payload: textOf(value['payload']),
    addresses: readAddresses(value['addresses']),
    point: readPoint(value['point']),
    status: readStatus(value['status']),
    transportMode: shortText(value['transportMode']),
    mediaId: textOf(value['mediaId']) || null,
    mediaType: shortText(value['mediaType']),
    transcription: textOf(value['transcription']) || null,
  };
};
