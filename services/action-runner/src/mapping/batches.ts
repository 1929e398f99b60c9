/** Most ids that the site takes in one call. */
const maxIds = 25;

/** Ids in groups that one call can carry. */
export const inBatches = (ids: readonly string[], most = maxIds): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / most) }, (_, index) => ids.slice(index * most, (index + 1) * most));
