/** Rows that need not exist before they are looked at. */
export interface Rows<T> {
  readonly length: number;
  /** @param index 0 to length - 1 */
  at(index: number): T;
}

/** The rows of an array. */
export const rowsOf = <T>(list: readonly T[]): Rows<T> => ({
  length: list.length,
  at: (index) => list[index] as T,
});

/** From the last to the first. */
export const reversed = <T>({ length, at }: Rows<T>): Rows<T> => ({ length, at: (index) => at(length - 1 - index) });
