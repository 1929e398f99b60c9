import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isScalar, parse, parseDocument, type YAMLMap } from 'yaml';

/** A path of keys into values. */
export type Path = readonly string[];

/** A value of a values.yaml that is no block of others: a scalar, a list or an empty map. */
export interface Leaf {
  readonly path: Path;
  readonly value: unknown;
  /** Whether a comment with ## stands above it, or above a block around it in which no other value has one. */
  readonly described: boolean;
}

/** An example: consecutive lines that begin with one #. */
export interface Example {
  readonly line: number;
  /** What it sets, from the top, when it is uncommented where it stands. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why uncommenting it does not set that; nothing when it does. */
  readonly problem?: string;
}

/** What a values.yaml says. */
export interface ValuesFile {
  readonly leaves: readonly Leaf[];
  /** Blocks around the leaves. */
  readonly blocks: readonly Path[];
  readonly examples: readonly Example[];
}

interface Entry {
  readonly path: Path;
  readonly value: unknown;
  readonly line: number;
  readonly indent: number;
  readonly isBlock: boolean;
  readonly hasComment: boolean;
}

/** What stands at a path; undefined when nothing does. */
export const valueAt = (values: unknown, path: Path): unknown =>
  path.reduce<unknown>((node, key) => (node as Record<string, unknown> | null | undefined)?.[key], values);

/** Values with one value at a path. */
export const nest = (path: Path, value: unknown): Record<string, unknown> =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;

const entriesOf = (text: string, document: Document, map: YAMLMap, above: Path = []): readonly Entry[] =>
  map.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || !key.range) return [];
    const before = text.slice(0, key.range[0]).split('\n');
    const path = [...above, String(key.value)];
    const isBlock = isMap(value) && value.items.length > 0;
    const entry = {
      path,
      value: document.getIn(path) === null ? null : (value as { toJS(doc: Document): unknown }).toJS(document),
      line: before.length - 1,
      indent: before.at(-1)?.length ?? 0,
      isBlock,
      hasComment: /^\s*## \S/.test(before.at(-2) ?? ''),
    };
    return [entry, ...(isBlock ? entriesOf(text, document, value as YAMLMap, path) : [])];
  });

const isBelow = (path: Path, above: Path): boolean =>
  path.length > above.length && above.every((key, at) => path[at] === key);

const isDescribed = (entries: readonly Entry[], { path, hasComment }: Entry): boolean =>
  hasComment ||
  entries.some(
    (block) =>
      block.hasComment &&
      isBelow(path, block.path) &&
      !entries.some((inner) => inner.hasComment && isBelow(inner.path, block.path)),
  );

const isExampleLine = (line = ''): boolean => /^\s*#(?!#)/.test(line);
const uncommented = (line: string): string => line.replace(/# ?/, '');

const exampleAt = (lines: readonly string[], entries: readonly Entry[], from: number, to: number): Example => {
  const indent = lines[from]?.indexOf('#') ?? 0;
  const around = entries.findLast((entry) => entry.line < from && entry.indent < indent)?.path ?? [];
  const inPlace = lines.map((line, at) => (at >= from && at < to ? uncommented(line) : line)).join('\n');
  try {
    const example: unknown = parse(lines.slice(from, to).map(uncommented).join('\n'));
    if (typeof example !== 'object' || example === null) throw new Error('it is neither `key: value` nor `- item`');
    const all = valueAt(parse(inPlace), around);
    const set = Array.isArray(example) ? all : { ...(all as object), ...example };
    if (!isDeepStrictEqual(set, Array.isArray(example) ? example : all)) throw new Error('it sets something else');
    return { line: from + 1, values: nest(around, example) };
  } catch (error) {
    return { line: from + 1, values: {}, problem: (error as Error).message };
  }
};

/** Reads a values.yaml in which ## begins a description and a single # an example. @throws when it is no YAML */
export const readValuesFile = (text: string): ValuesFile => {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw error;
  const entries = isMap(document.contents) ? entriesOf(text, document, document.contents as YAMLMap) : [];
  const lines = text.split('\n');
  const starts = lines.flatMap((line, at) => (isExampleLine(line) && !isExampleLine(lines[at - 1]) ? [at] : []));
  return {
    leaves: entries
      .filter(({ isBlock }) => !isBlock)
      .map((entry) => ({ path: entry.path, value: entry.value, described: isDescribed(entries, entry) })),
    blocks: entries.filter(({ isBlock }) => isBlock).map(({ path }) => path),
    examples: starts.map((from) => {
      const length = lines.slice(from).findIndex((line) => !isExampleLine(line));
      return exampleAt(lines, entries, from, length < 0 ? lines.length : from + length);
    }),
  };
};
