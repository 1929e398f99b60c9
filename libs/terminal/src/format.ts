import { stripVTControlCharacters, styleText } from 'node:util';

// Control characters move the cursor or change colours; direction marks reorder the text.
const unsafe = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

const escape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;

/** Makes untrusted text safe for a terminal, on one line: escapes control characters. */
export const printable = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ').replaceAll(unsafe, escape);

/** As `printable`, but keeps line breaks and replaces tabs by two spaces. */
export const printableText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(printable).join('  '))
    .join('\n');

const safeJson = (json: string): string =>
  json.replaceAll(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g,
    (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

/** Formats JSON that is safe for a terminal: escapes every control and direction character. */
export const printableJson = (value: unknown): string => safeJson(JSON.stringify(value));

/** The same as a document, which is all that `--output json` prints: indented, so that people can read it too. */
export const jsonDocument = (value: unknown): string => safeJson(JSON.stringify(value, null, 2));

type Style = (text: string) => string;

/** Styles of the terminal; without colours each returns the text unchanged. */
export interface Paint {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
}

export const createPaint = (on: boolean): Paint => {
  const style =
    (name: keyof Paint): Style =>
    (text) =>
      on && text !== '' ? styleText(name, text, { validateStream: false }) : text;
  return { bold: style('bold'), dim: style('dim'), red: style('red'), green: style('green'), yellow: style('yellow') };
};

/** Whether to use colours: on a terminal, unless NO_COLOR is set or TERM is `dumb`. */
export const wantsColour = (env: NodeJS.ProcessEnv, isTerminal: boolean): boolean =>
  isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

const steps = [
  { unit: 'd', seconds: 86_400, below: 'h', belowSeconds: 3_600 },
  { unit: 'h', seconds: 3_600, below: 'min', belowSeconds: 60 },
  { unit: 'min', seconds: 60, below: 's', belowSeconds: 1 },
] as const;

/** Formats a duration: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `9 d 4 h`. */
export const humanSpan = (seconds: number): string => {
  const span = Math.max(0, seconds);
  if (span < 9.95 && !Number.isInteger(span)) return `${span.toFixed(1)} s`;
  const whole = Math.round(span);
  const step = steps.find((s) => whole >= s.seconds);
  if (!step) return `${whole} s`;
  const rest = Math.floor((whole % step.seconds) / step.belowSeconds);
  const head = `${Math.floor(whole / step.seconds)} ${step.unit}`;
  return rest === 0 ? head : `${head} ${rest} ${step.below}`;
};

/** Formats the time since an instant; `never` for null. An instant in the future, from a device whose clock is ahead, is `now`. */
export const humanAgo = (iso: string | null, now: number): string => {
  if (iso === null) return 'never';
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return '?';
  return seconds < 1 ? 'now' : `${humanSpan(seconds)} ago`;
};

/** Formats a number with grouped digits: `12 345`. */
export const humanCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ');

/** `1 event`, `2 events`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${humanCount(count)} ${count === 1 ? one : many}`;

export type Align = 'left' | 'right';

const width = (cell: string): number => [...stripVTControlCharacters(cell)].length;

const pad = (cell: string, to: number, align: Align): string => {
  const blanks = ' '.repeat(Math.max(0, to - width(cell)));
  return align === 'left' ? cell + blanks : blanks + cell;
};

/** Formats rows of equal length as lines with aligned columns, two spaces apart. Only visible characters of styled cells count. */
export const alignColumns = (rows: readonly (readonly string[])[], aligns: readonly Align[]): string[] => {
  const widths = aligns.map((_, column) => Math.max(0, ...rows.map((row) => width(row[column] ?? ''))));
  return rows.map((row) =>
    aligns
      .map((align, column) => pad(row[column] ?? '', widths[column] ?? 0, align))
      .join('  ')
      .trimEnd(),
  );
};
