/** How many bytes of bodies may be in memory at once, over all requests. */
export interface ByteBudget {
  /** Takes `bytes` when they are free; false when they are not. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Bytes taken now. */
  taken(): number;
}

/** Makes a budget. */
export const createByteBudget = (limit: number): ByteBudget => {
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + bytes > limit) return false;
      taken += bytes;
      return true;
    },
    give: (bytes) => {
      taken -= bytes;
    },
    taken: () => taken,
  };
};
