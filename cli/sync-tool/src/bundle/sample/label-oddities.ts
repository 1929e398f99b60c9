import type { SampleRecord } from './json.ts';
import { ofSome, type Oddity } from './oddity.ts';

const labelled = ['transports', 'mandates', 'stations', 'teams', 'patrol_attributes'];

const reserved = '"__proto__":"Proto","constructor":"Made"';

const withNames = (namesOf: (position: number) => Readonly<Record<string, unknown>>): Oddity =>
  ofSome(labelled, (record: SampleRecord, position) => ({ ...record, names: namesOf(position) }));

/** Oddities of labels (bundle contract, 3 and 5). */
export const labelOddities = {
  'unlisted-language': withNames((position) => ({ 'x-old': `Old name ${position}` })),
  'blank-labels': withNames(() => ({ en: '   ', fr: null })),
  'long-labels': withNames((position) => ({ en: `${position} ${'a long name '.repeat(120)}` })),
  'emoji-labels': withNames((position) => ({ en: `${'👩🏽‍🚒'.repeat(40)} ${position}` })),
  'combining-labels': withNames((position) => ({ en: `${'e\u0301\u0323'.repeat(60)} ${position}` })),
  'right-to-left-labels': withNames((position) => ({ en: `مركز \u202E${position}` })),
  'markup-labels': withNames((position) => ({ en: `<script>|\`${position}\`|</script> [a](b) *c*` })),
  'control-characters': withNames((position) => ({ en: `One\r\n\u0007two ${position}\t` })),
  'same-labels': withNames(() => ({ en: 'New Station' })),
  'prototype-codes': {
    // Written as text: a literal of this name would set the prototype.
    line: (kind: string, line: string) =>
      labelled.includes(kind)
        ? line.replace(/"names":\{(?=(.))/, (_, next: string) => `"names":{${reserved}${next === '}' ? '' : ','}`)
        : line,
  },
} as const satisfies Readonly<Record<string, Oddity>>;
