/** Millions of bytes, as limits and registries count them. @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * @param {string} name of the image
 * @param {readonly { of: string, size: number }[]} layers bytes as they lie on a disk
 * @param {number} limit
 * @returns {number} bytes of all layers
 * @throws when they are more than the limit, with each layer's share
 */
export const sizeWithin = (name, layers, limit) => {
  const total = layers.reduce((sum, { size }) => sum + size, 0);
  if (total <= limit) return total;
  const shares = layers.map(({ of, size }) => `${of} ${megabytes(size)}`).join(', ');
  throw new Error(`${name} has ${megabytes(total)} and may have ${megabytes(limit)}: ${shares}`);
};
