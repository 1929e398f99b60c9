import { createHash } from 'node:crypto';

/** Names a stored text shortly, so that a change can say what it was made for; `none` where nothing is stored. */
export const revisionOf = (text: string | null): string =>
  text === null ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 12);
