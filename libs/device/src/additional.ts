import { factsOf } from './message-codes.ts';
import type { DeviceEvent, DeviceStatus } from './payload.ts';

/** The findings of the mapping about an event, for both of its records. */
export interface Marks {
  readonly staleFix: boolean;
  /** Whether a 0,0 position is passed on because of the settings. */
  readonly noFix: boolean;
  /** Whether the device named a place that could not be read. */
  readonly fixUnreadable: boolean;
  /** Whether the time is the time of receipt, because the device's own is unusable. */
  readonly timeFromReceipt: boolean;
}

type Additional = Record<string, unknown>;

const batteryLabels: ReadonlyMap<number | null, string> = new Map([
  [0, 'ok'],
  [1, 'low'],
]);

/** The status flags and the battery label. */
export const statusOf = (status: DeviceStatus): Additional => ({
  autonomous: status.autonomous,
  lowBattery: status.lowBattery,
  intervalChange: status.intervalChange,
  resetDetected: status.resetDetected,
  low_battery_label: batteryLabels.get(status.lowBattery) ?? 'not indicated',
});

/** Movement of the device and the quality of its fix. */
export const motionOf = ({ point }: DeviceEvent): Additional => ({
  altitude: point?.altitude ?? null,
  gpsFix: point?.gpsFix ?? null,
  course: point?.course ?? null,
  speed: point?.speed ?? null,
});

/** The code by number and name, and the transport of the event. */
export const codeOf = (event: DeviceEvent): Additional => ({
  message_code: event.messageCode,
  message_code_name: factsOf(event.messageCode).name,
  transport_mode: event.transportMode,
});

/** Adds the marks and media members that apply to the event (device contract, sections 1 and 3). */
export const addMarks = (additional: Additional, event: DeviceEvent, marks: Marks): Additional => {
  const { sos, referencePoint } = factsOf(event.messageCode);
  if (event.mediaId !== null) additional['media_id'] = event.mediaId;
  if (event.mediaType !== null) additional['media_type'] = event.mediaType;
  if (event.transcription !== null) additional['transcription'] = event.transcription;
  if (marks.staleFix) additional['stale_fix'] = true;
  if (marks.noFix) additional['no_fix'] = true;
  if (marks.fixUnreadable) additional['fix_unreadable'] = true;
  if (referencePoint) additional['reference_point'] = true;
  if (sos !== null) additional['sos'] = sos;
  if (event.imeis !== null) additional['imeis'] = event.imeis;
  if (marks.timeFromReceipt) additional['time_from'] = 'receipt';
  return additional;
};
