/** Where a device was. */
export interface Point {
  latitude: number | null;
  longitude: number | null;
  altitude: number | null;
  gpsFix: number | null;
  course: number | null;
  /** km/h */
  speed: number | null;
}

/** Flags of a device. */
export interface Status {
  autonomous?: number | null;
  lowBattery?: number | null;
  /** Seconds; 0 is unchanged. */
  intervalChange?: number | null;
  resetDetected?: number | null;
}

/** One event as the vendor sends it (device contract, section 1). Members may be null or missing. */
export interface DeviceEvent {
  imei: string | number;
  messageCode: number | string;
  freeText?: string | null;
  /** ms since 1970, or other accepted forms. */
  timeStamp?: number | string | null;
  pingbackReceived?: number | null;
  pingbackResponded?: number | null;
  addresses?: { address: string }[] | null;
  point?: Point;
  status?: Status;
  payload?: string | null;
  transportMode?: 'Satellite' | 'Internet';
}

/** A position report with every member, to change as needed. */
export const deviceEvent = (imei: string, timeStamp: number, change: Partial<DeviceEvent> = {}): DeviceEvent => ({
  imei,
  messageCode: 0,
  freeText: null,
  timeStamp,
  pingbackReceived: null,
  pingbackResponded: null,
  addresses: [],
  point: { latitude: -1.28612, longitude: 36.81722, altitude: 1661.5, gpsFix: 2, course: 337.5, speed: 3.6 },
  status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
  payload: null,
  transportMode: 'Satellite',
  ...change,
});
