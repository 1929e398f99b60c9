/** Larger bodies are not what devices send every minute. */
export const smallBodyBytes = 65_536;

/** How many bytes of bodies may be in memory at once, over all requests. */
export interface ByteBudget {
  /**
   * Takes `bytes` when they are free; false when they are not.
   * @param total of the body that they belong to, as far as it is known: large bodies leave room for small ones
   */
  take(bytes: number, total: number): boolean;
  give(bytes: number): void;
  /** Bytes taken now. */
  taken(): number;
}

/** Makes a budget of `limit` bytes, an eighth of it for small bodies alone, but room for one of `maxBodyBytes` in any case. */
export const createByteBudget = (limit: number, maxBodyBytes = limit): ByteBudget => {
  const forLarge = Math.max(Math.floor((limit * 7) / 8), maxBodyBytes);
  let taken = 0;
  return {
    take: (bytes, total) => {
      if (taken + bytes > (total > smallBodyBytes ? forLarge : limit)) return false;
      taken += bytes;
      return true;
    },
    give: (bytes) => {
      taken -= bytes;
    },
    taken: () => taken,
  };
};
