/** What an error code of the vendor asks us to do (device contract, section 5). */
export type CodeConsequence = 'internal' | 'throttled' | 'auth' | 'time' | 'permanent';

/** One error code of the vendor. */
export interface VendorCode {
  readonly meaning: string;
  readonly consequence: CodeConsequence;
}

const permanent = (meaning: string): VendorCode => Object.freeze({ meaning, consequence: 'permanent' });

const table: ReadonlyMap<number, VendorCode> = new Map([
  [1, Object.freeze({ meaning: 'internal error', consequence: 'internal' })],
  [2, Object.freeze({ meaning: 'too many requests', consequence: 'throttled' })],
  [3, Object.freeze({ meaning: 'authentication', consequence: 'auth' })],
  [4, permanent('unknown device')],
  [5, permanent('message length')],
  // Texts of before 2011 are refused before: for the vendor it is one of the future, which comes.
  [6, Object.freeze({ meaning: 'timestamp', consequence: 'time' })],
  [7, permanent('sender')],
  [8, permanent('altitude')],
  [9, permanent('speed')],
  [10, permanent('course')],
  [11, permanent('position')],
  [12, permanent('interval')],
  [13, permanent('location type')],
  [14, permanent('label')],
  [15, permanent('emergency action')],
  [16, permanent('binary type')],
  [17, permanent('payload')],
]);

/** What is known of a code; undefined for codes that nobody documented. */
export const vendorCode = (code: number | null): VendorCode | undefined =>
  code === null ? undefined : table.get(code);
