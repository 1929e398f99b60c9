/** Records of a file with the lines (from 1) that they stand in, for what is found out only later. */
export interface Kept<T> {
  readonly file: string;
  readonly records: T[];
  readonly lines: number[];
}

/** Nothing kept yet. */
export const noneKept = <T>(file: string): Kept<T> => ({ file, records: [], lines: [] });
