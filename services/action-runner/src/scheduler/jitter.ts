import { hash } from 'node:crypto';

/** Of the first 32 bits of a hash. */
const range = 2 ** 32;

/** How long after the full minute an integration's commands are published, in whole seconds, ms; always the same for one integration. */
export const jitterOf = (integrationId: string, mostMs: number): number => {
  const share = Number.parseInt(hash('sha256', integrationId).slice(0, 8), 16) / range;
  return Math.floor((share * mostMs) / 1_000) * 1_000;
};
