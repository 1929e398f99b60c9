/** Maximum number of ids that the site accepts in one call. */
const maxIds = 25;

/** Splits a list into groups of at most `most`, by default of as many ids as fit into one call. */
export const inBatches = <T>(list: readonly T[], most = maxIds): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / most) }, (_, index) => list.slice(index * most, (index + 1) * most));
