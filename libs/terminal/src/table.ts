import { stripVTControlCharacters } from 'node:util';

/** How a column stands. */
export type Align = 'left' | 'right';

const width = (cell: string): number => [...stripVTControlCharacters(cell)].length;

const pad = (cell: string, to: number, align: Align): string => {
  const blanks = ' '.repeat(Math.max(0, to - width(cell)));
  return align === 'left' ? cell + blanks : blanks + cell;
};

/** Rows of equally many cells as lines with aligned columns, two blanks apart. Styled cells count by what is seen. */
export const alignColumns = (rows: readonly (readonly string[])[], aligns: readonly Align[]): string[] => {
  const widths = aligns.map((_, column) => Math.max(0, ...rows.map((row) => width(row[column] ?? ''))));
  return rows.map((row) =>
    aligns
      .map((align, column) => pad(row[column] ?? '', widths[column] ?? 0, align))
      .join('  ')
      .trimEnd(),
  );
};
