import type { SosState } from '@ranger-relay/contracts';

/** The properties of a message code (device contract, section 1, codes). Whether its events become messages is the setting `message_codes`. */
export interface CodeFacts {
  /** Slug of the code, sent as `message_code_name`. */
  readonly name: string;
  /** Set on the three SOS codes. */
  readonly sos: SosState | null;
  /** The point is a place that the user marked, not the position of the device. */
  readonly referencePoint: boolean;
  /** The device sends 0,0 with this code although it is not there, whatever `gpsFix` says. */
  readonly zeroIsNoFix: boolean;
  /** The event tells no place of the device, so a point that cannot be read is none. */
  readonly pointOptional: boolean;
}

const facts = (name: string, more: Partial<CodeFacts> = {}): CodeFacts =>
  Object.freeze({ name, sos: null, referencePoint: false, zeroIsNoFix: false, pointOptional: false, ...more });

const placeless = (name: string): CodeFacts => facts(name, { pointOptional: true });

const unknown = facts('unknown');
const predefined = facts('predefined_message');
const reserved = facts('reserved');

/** Every documented message code, in ascending order. */
export const messageCodes: ReadonlyMap<number, CodeFacts> = new Map([
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
  [64, placeless('encrypted_binary')],
  [65, placeless('pingback_response')],
  [66, placeless('generic_binary')],
  [67, placeless('encrypted_pinpoint')],
  [68, placeless('encryption_negotiation')],
  [69, placeless('encryption_nack')],
  [3099, facts('canned_message')],
]);

/** The properties of a code; an undocumented code is `unknown` and follows the normal rules. */
export const factsOf = (code: number): CodeFacts => messageCodes.get(code) ?? unknown;

/** The codes of SOS events. */
export const sosCodes: readonly number[] = [...messageCodes].flatMap(([code, { sos }]) => (sos === null ? [] : [code]));
