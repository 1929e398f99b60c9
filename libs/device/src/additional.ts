import type { SosState } from '@ranger-relay/contracts';
import type { DeviceEvent, DeviceStatus } from './payload.ts';

/** The properties of a message code (device contract, section 1, codes). */
export interface CodeFacts {
  /** Sent as `message_code_name`. */
  readonly name: string;
  /** Set on the three SOS codes. */
  readonly sos: SosState | null;
  /** The point is a place that the user marked, not the position of the device. */
  readonly referencePoint: boolean;
  /** The device sends 0,0 with this code although it is not there, whatever `gpsFix` says. */
  readonly zeroIsNoFix: boolean;
}

const facts = (name: string, more: Partial<CodeFacts> = {}): CodeFacts =>
  Object.freeze({ name, sos: null, referencePoint: false, zeroIsNoFix: false, ...more });

const unknown = facts('unknown');
const predefined = facts('predefined_message');
const reserved = facts('reserved');

const table: ReadonlyMap<number, CodeFacts> = new Map([
  [0, facts('position_report')],
  [1, reserved],
  [2, facts('locate_response')],
  [3, facts('free_text')],
  [4, facts('sos_declare', { sos: 'declared' })],
  [5, reserved],
  [6, facts('sos_confirm', { sos: 'confirmed' })],
  [7, facts('sos_cancel', { sos: 'cancelled' })],
  [8, facts('reference_point', { referencePoint: true })],
  [9, facts('check_in')],
  [10, facts('start_track')],
  [11, facts('track_interval')],
  [12, facts('stop_track')],
  [13, facts('unknown_index')],
  [14, facts('puck_message_1')],
  [15, facts('puck_message_2')],
  [16, facts('puck_message_3')],
  [17, facts('map_share')],
  [20, facts('mail_check', { zeroIsNoFix: true })],
  [21, facts('am_i_alive', { zeroIsNoFix: true })],
  ...Array.from({ length: 40 }, (_, index) => [24 + index, predefined] as const),
  [64, facts('encrypted_binary')],
  [65, facts('pingback_response')],
  [66, facts('generic_binary')],
  [67, facts('encrypted_pinpoint')],
  [68, facts('encryption_negotiation')],
  [69, facts('encryption_nack')],
  [3099, facts('canned_message')],
]);

/** The properties of a code; an undocumented code is `unknown` and follows the normal rules. */
export const factsOf = (code: number): CodeFacts => table.get(code) ?? unknown;

/** The findings of the mapping about an event, for both of its records. */
export interface Marks {
  readonly staleFix: boolean;
  /** Whether a 0,0 position is passed on because of the settings. */
  readonly noFix: boolean;
  /** Whether the time is the time of receipt, because the device's own is unusable. */
  readonly timeFromReceipt: boolean;
}

type Additional = Record<string, unknown>;

const batteryLabel = (lowBattery: unknown): string | null => {
  if (lowBattery === 0) return 'ok';
  if (lowBattery === 1) return 'low';
  return lowBattery === 2 ? 'not indicated' : null;
};

/** The status flags and the battery label. */
export const statusOf = (status: DeviceStatus): Additional => ({
  autonomous: status.autonomous,
  lowBattery: status.lowBattery,
  intervalChange: status.intervalChange,
  resetDetected: status.resetDetected,
  low_battery_label: batteryLabel(status.lowBattery),
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
  if (referencePoint) additional['reference_point'] = true;
  if (sos !== null) additional['sos'] = sos;
  if (event.imeis !== null) additional['imeis'] = event.imeis;
  if (marks.timeFromReceipt) additional['time_from'] = 'receipt';
  return additional;
};
