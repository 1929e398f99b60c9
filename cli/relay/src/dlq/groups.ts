import type { LetterHead } from './letters.ts';

/** Groups letters, in order, so that the bodies of a group fit in so many bytes; a larger one is a group of its own. */
export const groupBySize = <Head extends Pick<LetterHead, 'kept_bytes'>>(
  heads: readonly Head[],
  bytes: number,
): Head[][] => {
  const groups: Head[][] = [];
  let room = -1;
  for (const head of heads) {
    if (head.kept_bytes > room) {
      groups.push([]);
      room = bytes;
    }
    groups.at(-1)?.push(head);
    room -= head.kept_bytes;
  }
  return groups;
};
