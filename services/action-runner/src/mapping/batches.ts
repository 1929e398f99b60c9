/** Maximum number of ids that the site accepts in one call. */
const maxIds = 25;

/** Splits ids into groups that fit into one call. */
export const inBatches = (ids: readonly string[], most = maxIds): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / most) }, (_, index) => ids.slice(index * most, (index + 1) * most));
