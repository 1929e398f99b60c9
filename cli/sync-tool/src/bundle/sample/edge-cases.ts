import { keyOddities } from './key-oddities.ts';
import { labelOddities } from './label-oddities.ts';
import type { Oddity } from './oddity.ts';
import { recordOddities } from './record-oddities.ts';

const fileOddities = {
  'byte-order-mark': { style: { mark: true } },
  crlf: { style: { crlf: true } },
  'blank-lines': { style: { blankLines: true } },
  'no-last-newline': { style: { withoutLastNewline: true } },
  'unknown-kinds': { extra: { weather_reports: () => [{ anything: 1 }], waypoints: () => [{ anything: 2 }] } },
  'inferred-zone': { head: (head) => ({ ...head, timezone_source: 'inferred' }) },
  'later-minor-version': { head: (head) => ({ ...head, format_version: '1.27' }) },
} as const satisfies Readonly<Record<string, Oddity>>;

const all = { ...fileOddities, ...labelOddities, ...keyOddities, ...recordOddities };

/** Name of something odd that a sample can hold and stay valid, most of it with a warning (bundle contract, 5). */
export type EdgeCase = keyof typeof all;

/** All names. */
export const edgeCases = Object.keys(all) as readonly EdgeCase[];

/** The oddities of some names. */
export const odditiesOf = (names: readonly EdgeCase[]): readonly Oddity[] => names.map((name) => all[name]);
