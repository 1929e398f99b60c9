/** One figure of the bench, with the bare limit that was measured in the same run and the bound it should keep. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly bare?: number;
  readonly bound?: string;
  readonly holds?: boolean;
}

/** A figure that may be so large at most. */
export const atMost = (name: string, unit: string, value: number, max: number): Figure => {
  const bound = `≤ ${max.toLocaleString('en')} ${unit}`;
  return { name, unit, value, bound, holds: value <= max };
};

/** A figure that has to be so large at least. */
export const atLeast = (name: string, unit: string, value: number, min: number): Figure => {
  const bound = `≥ ${min.toLocaleString('en')} ${unit}`;
  return { name, unit, value, bound, holds: value >= min };
};

/** A figure that has to be exactly so large. */
export const exactly = (name: string, unit: string, value: number, wanted: number): Figure => {
  return { name, unit, value, bound: `${wanted}`, holds: value === wanted };
};

/** A figure that may be so many times the bare limit at most. */
export const atMostBare = (name: string, unit: string, value: number, bare: number, times: number): Figure => {
  return { name, unit, value, bare, bound: `≤ ${times} × bare`, holds: value <= times * bare };
};

const short = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
};

/** The figures as a Markdown table. */
export const markdown = (figures: readonly Figure[]): string => {
  const rows = figures.map(({ name, unit, value, bare, bound, holds }) => [
    name,
    `${short(value)} ${unit}`,
    bare === undefined ? '' : `${short(bare)} ${unit}`,
    bare === undefined ? '' : `${short(value / bare)} ×`,
    bound ?? '',
    holds === undefined ? '' : holds ? 'yes' : 'NO',
  ]);
  const head = ['figure', 'measured', 'bare limit', 'ratio', 'bound', 'holds'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
};
