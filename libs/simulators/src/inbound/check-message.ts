import { isObject, type Body } from '../json.ts';

/** A refusal with the vendor's error code. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly description: string;
  /** Devices that the refusal is about; null when it is about none. */
  readonly imeis: readonly string[] | null;
}

/** A 422 about the content of a call. */
export const unprocessable = (
  code: number,
  message: string,
  description: string,
  imeis: readonly string[] | null = null,
): Refusal => ({ status: 422, code, message, description, imeis });

/** Body of an error answer. */
export const refusalBody = (refusal: Refusal, url: string): object => ({
  Code: refusal.code,
  Description: refusal.description,
  IMEI: refusal.imeis,
  Message: refusal.message,
  URL: url,
});

/** A text for one or more devices, as accepted. */
export interface InboundMessage {
  readonly recipients: readonly string[];
  readonly sender: string;
  /** ms since 1970. */
  readonly timestamp: number;
  readonly text: string;
}

const earliest = Date.UTC(2011, 0, 1);
const maxLength = 160;

const recipientsOf = (raw: unknown): string[] | undefined => {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  const texts = raw.map((one: unknown) => (typeof one === 'number' || typeof one === 'string' ? String(one) : ''));
  return texts.every((one) => /^\d+$/.test(one)) ? texts : undefined;
};

const timeOf = (raw: unknown): number => {
  const digits = typeof raw === 'string' ? /^\/Date\((-?\d{1,15})\)\/$/.exec(raw)?.[1] : undefined;
  return digits === undefined ? Number.NaN : Number(digits);
};

const isSender = (raw: unknown): raw is string =>
  typeof raw === 'string' && (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(raw) || /^\d{3,15}$/.test(raw));

const outside = (value: unknown, low: number, high: number): boolean =>
  typeof value !== 'number' || !Number.isFinite(value) || value < low || value > high;

/** Checks where a text refers to; numbers that are left out are 0. */
const placeRefusal = (raw: unknown): Refusal | undefined => {
  if (raw === undefined || raw === null) return undefined;
  if (!isObject(raw)) return unprocessable(11, 'Invalid position', 'ReferencePoint is not an object');
  const { Altitude = 0, Speed = 0, Course = 0, LocationType = 0, Label = '', Coordinate = {} } = raw;
  if (outside(Altitude, -1_000, 18_000)) return unprocessable(8, 'Invalid altitude', 'Altitude is -1000 to 18000 m');
  if (outside(Speed, 0, 1_854)) return unprocessable(9, 'Invalid speed', 'Speed is 0 to 1854 km/h');
  if (outside(Course, -360, 360)) return unprocessable(10, 'Invalid course', 'Course is -360 to 360');
  if (LocationType !== 0 && LocationType !== 1)
    return unprocessable(13, 'Invalid location type', 'LocationType is 0 or 1');
  if (typeof Label !== 'string') return unprocessable(14, 'Invalid label', 'Label is a text');
  if (!isObject(Coordinate)) return unprocessable(11, 'Invalid position', 'Coordinate is not an object');
  const { Latitude = 0, Longitude = 0 } = Coordinate;
  return outside(Latitude, -90, 90) || outside(Longitude, -180, 180)
    ? unprocessable(11, 'Invalid position', 'Latitude is -90 to 90, Longitude -180 to 180')
    : undefined;
};

const lengthOf = ({ Message, ReferencePoint }: Body): number => {
  const label = isObject(ReferencePoint) && typeof ReferencePoint['Label'] === 'string' ? ReferencePoint['Label'] : '';
  return typeof Message === 'string' ? [...Message].length + [...label].length : 0;
};

/** Checks one message of a call at `now` (device contract, section 5): the message, or why it is refused. */
export const checkMessage = (
  raw: unknown,
  known: (imei: string) => boolean,
  now: number,
): { readonly message: InboundMessage } | { readonly refusal: Refusal } => {
  const body = isObject(raw) ? raw : {};
  const recipients = recipientsOf(body['Recipients']);
  if (!recipients) return { refusal: unprocessable(4, 'Unknown device', 'Recipients are strings of digits') };
  const strangers = recipients.filter((imei) => !known(imei));
  if (strangers.length > 0)
    return { refusal: unprocessable(4, 'Unknown device', 'The device is not in this account', strangers) };
  const length = lengthOf(body);
  if (length < 1 || length > maxLength || body['Message'] === '')
    return { refusal: unprocessable(5, 'Invalid message length', `1 to ${maxLength} characters`, recipients) };
  const timestamp = timeOf(body['Timestamp']);
  if (!(timestamp >= earliest && timestamp <= now))
    return { refusal: unprocessable(6, 'Invalid timestamp', 'From 2011-01-01 to now', recipients) };
  const sender = body['Sender'];
  if (!isSender(sender)) return { refusal: unprocessable(7, 'Invalid sender', 'An e-mail address or a number') };
  const refusal = placeRefusal(body['ReferencePoint']);
  return refusal ? { refusal } : { message: { recipients, sender, timestamp, text: String(body['Message']) } };
};
