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

// Numbers with more digits than a double keeps, as they stood in a text.
if (!('rawJSON' in JSON)) {
  const { stringify } = JSON;
  const raw = new WeakSet();
  const mark = '\u0001number:';
  const marked = /"\\u0001number:([^"]+)"/g;
  let used = false;
  give(JSON, 'rawJSON', (/** @type {string} */ text) => {
    const number = Object.freeze(Object.assign(Object.create(null), { rawJSON: text }));
    raw.add(number);
    used = true;
    return number;
  });
  give(JSON, 'isRawJSON', (/** @type {object} */ value) => typeof value === 'object' && raw.has(value));
  JSON.stringify = (value, replacer, space) => {
    if (!used || replacer) return stringify(value, replacer, space);
    const text = stringify(value, (_, each) => (JSON.isRawJSON(each) ? mark + each.rawJSON : each), space);
    return text?.replace(marked, '$1');
  };
}
