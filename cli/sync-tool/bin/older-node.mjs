// What Node 20 lacks of what the tool and its libraries use. Newer versions keep their own.

/**
 * @template {object} T
 * @param {T} target
 * @param {string} name
 * @param {unknown} value
 */
const give = (target, name, value) => {
  if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
};

give(Promise, 'withResolvers', () => {
  let resolve;
  let reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
});

give(Map, 'groupBy', (/** @type {Iterable<unknown>} */ items, /** @type {(item: unknown) => unknown} */ keyOf) => {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
});

give(URL, 'parse', (/** @type {string} */ text, /** @type {string | undefined} */ base) => {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
});
