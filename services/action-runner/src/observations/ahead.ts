const ignore = (): void => undefined;

/** The same items, each asked for while the one before it is worked on. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  const fetchNext = (): Promise<IteratorResult<T>> => {
    const next = iterator.next();
    // Whoever stops before this one is looked at is not to be told of its failure.
    next.catch(ignore);
    return next;
  };
  let next = fetchNext();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = fetchNext();
      yield value as T;
    }
  } finally {
    void iterator.return?.().catch(ignore);
  }
}
