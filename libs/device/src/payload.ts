import { cleanText, cutText, isObject } from '@ranger-relay/errors';
import { readNumber } from '@ranger-relay/runtime';

/** `point` of an event; null for members that it does not have. Units as in the device contract, section 1. */
export interface DevicePoint {
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** A coordinate was sent, but it is no number. */
  readonly unreadable: boolean;
  readonly altitude: number | null;
  readonly gpsFix: number | null;
  readonly course: number | null;
  readonly speed: number | null;
}

/** `status` of an event; members that the vendor omitted are null. */
export interface DeviceStatus {
  readonly autonomous: number | null;
  readonly lowBattery: number | null;
  readonly intervalChange: number | null;
  readonly resetDetected: number | null;
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
  /** Names of optional members that hold something else than they should; they count as missing. */
  readonly unread: readonly string[];
}

/** The reason why an event cannot be read. */
export type UnreadableCode = 'not_an_object' | 'missing_imei' | 'missing_message_code';

/** Maximum devices of a joined list, and maximum addresses of an event, that are passed on. */
export const listLimit = 100;
const scalarLimit = 200;
const imeiLimit = 64;

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

const nothing: Members = Object.freeze({});

/** Converts a text, number or boolean to text; any other value becomes an empty text, because an object's conversion may throw. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
};

/** Reads the optional members of an object, and notes the names of those that hold something else than they should. */
class OptionalMembers {
  private readonly members: Members;
  private readonly unread: string[];

  constructor(members: Members, unread: string[]) {
    this.members = members;
    this.unread = unread;
  }

  number(name: string): number | null {
    const number = readNumber(this.members[name]);
    if (number !== undefined) return number;
    this.unread.push(name);
    return null;
  }

  text(name: string): string {
    const value = this.members[name];
    if (typeof value === 'object' && value !== null) this.unread.push(name);
    return textOf(value);
  }

  shortText(name: string): string | null {
    return cutText(this.text(name), scalarLimit) || null;
  }

  /** An object; an empty one when there is none. */
  object(name: string): Members {
    const value = this.members[name] ?? nothing;
    if (isObject(value)) return value;
    this.unread.push(name);
    return nothing;
  }

  list(name: string): readonly unknown[] {
    const value = this.members[name] ?? [];
    if (Array.isArray(value)) return value;
    this.unread.push(name);
    return [];
  }
}

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

/** A number out of all bounds is no place; undefined is something else than a number. */
const coordinate = (value: unknown): number | null | undefined =>
  typeof value === 'number' && !Number.isFinite(value) ? null : readNumber(value);

const readPoint = (value: unknown, unread: string[]): DevicePoint | null => {
  if (value === null || value === undefined) return null;
  const point = isObject(value) ? value : nothing;
  const [latitude, longitude] = [coordinate(point['latitude']), coordinate(point['longitude'])];
  const members = new OptionalMembers(point, unread);
  return {
    latitude: latitude ?? null,
    longitude: longitude ?? null,
    unreadable: !isObject(value) || latitude === undefined || longitude === undefined,
    altitude: members.number('altitude'),
    gpsFix: members.number('gpsFix'),
    course: members.number('course'),
    speed: members.number('speed'),
  };
};

const readStatus = (value: Members, unread: string[]): DeviceStatus => {
  const status = new OptionalMembers(value, unread);
  return {
    autonomous: status.number('autonomous'),
    lowBattery: status.number('lowBattery'),
    intervalChange: status.number('intervalChange'),
    resetDetected: status.number('resetDetected'),
  };
};

const readAddresses = (list: readonly unknown[]): string[] =>
  list.length === 0
    ? []
    : list
        .slice(0, listLimit)
        .map((item: unknown) => cutText(textOf(isObject(item) ? item['address'] : item), scalarLimit))
        .filter((address) => address !== '');

/**
 * Reads one event of an envelope. Null, missing and unknown members are equivalent. Only the forms named in the device contract, section 1,
 * are read. Parsed by hand, because only a missing identity makes an event unreadable, what else cannot be read is told, and each member is
 * bounded.
 */
export const readEvent = (value: unknown): DeviceEvent | UnreadableCode => {
  if (!isObject(value)) return 'not_an_object';
  const imeis = readImeis(value['imei']);
  const [source] = imeis;
  if (source === undefined) return 'missing_imei';
  const messageCode = readCode(value['messageCode']);
  if (messageCode === undefined) return 'missing_message_code';
  const unread: string[] = [];
  const members = new OptionalMembers(value, unread);
  return {
    source,
    imeis: imeis.length > 1 ? imeis : null,
    messageCode,
    timeStamp: value['timeStamp'],
    freeText: members.text('freeText'),
    payload: members.text('payload'),
    addresses: readAddresses(members.list('addresses')),
    point: readPoint(value['point'], unread),
    status: readStatus(members.object('status'), unread),
    transportMode: members.shortText('transportMode'),
    mediaId: members.text('mediaId') || null,
    mediaType: members.shortText('mediaType'),
    transcription: members.text('transcription') || null,
    unread,
  };
};
