/** Works on all items, at most `width` at a time, in order of their start; stops taking up new ones when told, and rejects with the first failure when all that run have ended. */
export const inPool = async <T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
  stopped: () => boolean,
): Promise<void> => {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (stopped()) return;
      await work(item);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, worker));
  const failure = ended.find((each) => each.status === 'rejected');
  if (failure) throw failure.reason;
};
