import { readFileSync } from 'node:fs';
import { RelayError } from '@ranger-relay/errors';
import { redactText } from '../redact.ts';
import type { Kind } from './kinds.ts';

/** One variable: form, default as it would be written, one line of why. */
export interface Variable<T = unknown> {
  readonly kind: Kind<T>;
  /** As written in the environment; without one the variable may be absent, unless `required`. */
  readonly default?: string;
  readonly required?: boolean;
  /** Secrets also have a `_FILE` form and are never shown. */
  readonly secret?: boolean;
  readonly about: string;
}

/** A table of variables. */
export type EnvTable = Readonly<Record<string, Variable>>;

type Value<V> = V extends { kind: Kind<infer T> }
  ? V extends { default: string } | { required: true }
    ? T
    : T | undefined
  : never;

/** The parsed values of a table. */
export type Env<Table extends EnvTable> = { readonly [Name in keyof Table]: Value<Table[Name]> };

const refuse = (variable: string, problem: string): RelayError =>
  new RelayError('config_invalid', { details: { variable, problem } });

const fromFile = (name: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new RelayError('config_invalid', {
      details: { variable: `${name}_FILE`, problem: `names the file ${file}, which cannot be read` },
      cause: error,
    });
  }
};

const rawValue = (name: string, variable: Variable, source: NodeJS.ProcessEnv): string | undefined => {
  const direct = source[name] || undefined;
  const file = variable.secret ? source[`${name}_FILE`] || undefined : undefined;
  if (direct !== undefined && file !== undefined) throw refuse(name, `and ${name}_FILE are both set; keep one of them`);
  if (file !== undefined) return fromFile(name, file);
  return direct ?? variable.default;
};

const parseOne = (name: string, variable: Variable, source: NodeJS.ProcessEnv): unknown => {
  const raw = rawValue(name, variable, source);
  if (raw === undefined) {
    if (variable.required) throw refuse(name, `is not set; it takes ${variable.kind.takes}`);
    return undefined;
  }
  const parsed = variable.kind.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const got = variable.secret ? 'has a value that is not shown' : `is "${redactText(raw, 100)}"`;
  throw refuse(name, `${got}, but takes ${variable.kind.takes}`);
};

/**
 * Reads a table once; the result is frozen. Empty values count as absent.
 * @throws RelayError `config_invalid` naming the variable, what it got (not for secrets) and what it takes
 */
export const parseEnv = <Table extends EnvTable>(table: Table, source: NodeJS.ProcessEnv): Env<Table> =>
  Object.freeze(
    Object.fromEntries(Object.entries(table).map(([name, variable]) => [name, parseOne(name, variable, source)])),
  ) as Env<Table>;

const describe = (variable: Variable): string => {
  if (variable.default !== undefined) return `default ${variable.default === '' ? '(empty)' : variable.default}`;
  return variable.required ? 'required' : 'optional';
};

/** The table as help text, a block per variable. */
export const envHelp = (table: EnvTable): string =>
  Object.entries(table)
    .map(
      ([name, variable]) =>
        `  ${name}${variable.secret ? ` (or ${name}_FILE)` : ''}\n      ${variable.about}. Takes ${variable.kind.takes}; ${describe(variable)}.`,
    )
    .join('\n');

/** The table as Markdown rows, for documents that a test keeps equal to it. */
export const envMarkdown = (table: EnvTable): string =>
  [
    '| variable | takes | default | what for |',
    '| --- | --- | --- | --- |',
    ...Object.entries(table).map(
      ([name, v]) =>
        `| \`${name}\`${v.secret ? ` or \`${name}_FILE\`` : ''} | ${v.kind.takes} | ${v.default === undefined ? (v.required ? 'required' : '–') : `\`${v.default || ' '}\``} | ${v.about} |`,
    ),
  ].join('\n');
