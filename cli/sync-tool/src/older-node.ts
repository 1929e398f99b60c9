// What Node 20 lacks of what the tool and its libraries use. It is part of the one file that is published, which runs without its launcher too.

const give = (target: object, name: string, value: unknown): void => {
  if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
};

/** Numbers with more digits than a double keeps, as they stood in a text. */
const giveRawJson = (): void => {
  const { stringify } = JSON;
  const raw = new WeakSet<object>();
  const mark = '\u0001number:';
  const marked = /"\\u0001number:([^"]+)"/g;
  let used = false;
  const isRaw = (value: unknown): value is { readonly rawJSON: string } =>
    typeof value === 'object' && value !== null && raw.has(value);
  give(JSON, 'rawJSON', (text: string): object => {
    const number = Object.freeze(Object.assign(Object.create(null) as object, { rawJSON: text }));
    raw.add(number);
    used = true;
    return number;
  });
  give(JSON, 'isRawJSON', isRaw);
  const stringifyRaw = (value: unknown, replacer?: unknown, space?: string | number): string | undefined => {
    if (!used || replacer) return stringify(value, replacer as null, space);
    const text: string | undefined = stringify(
      value,
      (_, each: unknown) => (isRaw(each) ? mark + each.rawJSON : each),
      space,
    );
    return text?.replace(marked, '$1');
  };
  Object.assign(JSON, { stringify: stringifyRaw });
};

/** Adds what this version of Node lacks; called before anything else. */
export const completeOlderNode = (): void => {
  give(Promise, 'withResolvers', () => {
    let resolve: unknown;
    let reject: unknown;
    const promise = new Promise((yes, no) => {
      resolve = yes;
      reject = no;
    });
    return { promise, resolve, reject };
  });

  give(Map, 'groupBy', <Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> => {
    const groups = new Map<Key, Item[]>();
    for (const item of items) {
      const key = keyOf(item);
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
    return groups;
  });

  give(URL, 'parse', (text: string, base?: string): URL | null => {
    try {
      return new URL(text, base);
    } catch {
      return null;
    }
  });

  if (!('rawJSON' in JSON)) giveRawJson();
};
