type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

const isList = (value: Plain): value is readonly Plain[] => Array.isArray(value);

/** Words that YAML would read as something else than a text. */
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

const scalar = (value: string | number | boolean): string =>
  typeof value === 'string' && (!/^[A-Za-z][\w./-]*$/.test(value) || reserved.test(value))
    ? JSON.stringify(value)
    : String(value);

const isEmpty = (value: Plain): boolean => typeof value === 'object' && Object.keys(value).length === 0;

const emptyOf = (value: Plain): string => (isList(value) ? '[]' : '{}');

const entryLines = (head: string, value: Plain): string[] => {
  if (typeof value !== 'object') return [`${head} ${scalar(value)}`];
  if (isEmpty(value)) return [`${head} ${emptyOf(value)}`];
  return [head, ...yamlOf(value).map((line) => `  ${line}`)];
};

/** The first line of a list's entry stands behind its dash. */
const dashed = (lines: readonly string[]): string[] =>
  lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);

/** Plain data as lines of YAML. */
export const yamlOf = (value: Plain): string[] => {
  if (typeof value !== 'object') return [scalar(value)];
  if (isEmpty(value)) return [emptyOf(value)];
  if (isList(value)) return value.flatMap((entry) => dashed(yamlOf(entry)));
  return Object.entries(value).flatMap(([key, entry]) => entryLines(`${scalar(key)}:`, entry));
};

/** Documents of one file. */
export const yamlDocuments = (documents: readonly Plain[]): string[] =>
  documents.flatMap((document) => ['---', ...yamlOf(document)]);
