import { readFileSync } from 'node:fs';
import { RelayError } from '@ranger-relay/errors';
import { redactText } from '../redact.ts';
import type { Kind } from './kinds.ts';

/** One variable: its form, its default as written, and a one-line description. */
export interface Variable<T = unknown> {
  readonly kind: Kind<T>;
  /** As written in the environment; without a default the variable may be absent, unless it is `required`. */
  readonly default?: string;
  readonly required?: boolean;
  /** Secrets also have a `_FILE` form and are never displayed. */
  readonly secret?: boolean;
  readonly description: string;
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

/** A variable that cannot be used; the reason continues a sentence that starts with its name. */
export interface EnvProblem {
  readonly variable: string;
  readonly problem: string;
}

/** Throws one error for all of them, one line each; does nothing when there are none. @throws RelayError `config_invalid` */
export const refuseEnv = (problems: readonly EnvProblem[]): void => {
  const [first, ...others] = problems;
  if (!first) return;
  const problem = [first.problem, ...others.map((other) => `${other.variable} ${other.problem}`)].join('\n');
  throw new RelayError('config_invalid', { details: { variable: first.variable, problem } });
};

type Read<T> = { readonly value: T } | EnvProblem;

const readFile = (name: string, file: string): Read<string> => {
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch {
    return { variable: `${name}_FILE`, problem: `names the file ${file}, which cannot be read` };
  }
};

const readText = (name: string, variable: Variable, source: NodeJS.ProcessEnv): Read<string | undefined> => {
  const direct = source[name] || undefined;
  const file = variable.secret ? source[`${name}_FILE`] || undefined : undefined;
  if (direct !== undefined && file !== undefined)
    return { variable: name, problem: `and ${name}_FILE are both set; keep one of them` };
  return file === undefined ? { value: direct ?? variable.default } : readFile(name, file);
};

const readOne = (name: string, variable: Variable, source: NodeJS.ProcessEnv): Read<unknown> => {
  const read = readText(name, variable, source);
  if ('problem' in read) return read;
  const text = read.value;
  if (text === undefined) {
    const missing = { variable: name, problem: `is not set; it takes ${variable.kind.format}` };
    return variable.required ? missing : { value: undefined };
  }
  const parsed = variable.kind.schema.safeParse(text);
  if (parsed.success) return { value: parsed.data };
  const got = variable.secret ? 'has a value that is not shown' : `is "${redactText(text, 100)}"`;
  return { variable: name, problem: `${got}, but takes ${variable.kind.format}` };
};

/** Adds problems of a later look: one about a variable that is known to be wrong follows from that, and is left out. */
export const addProblems = (known: readonly EnvProblem[], later: readonly EnvProblem[]): readonly EnvProblem[] => {
  const wrong = new Set(known.map(({ variable }) => variable));
  return [...known, ...later.filter(({ variable }) => !wrong.has(variable) && !wrong.has(`${variable}_FILE`))];
};

/** Leaves out what is wrong about variables that count as set, by their own name or with `_FILE`. */
export const exceptAssumed = (problems: readonly EnvProblem[], assumed: readonly string[]): readonly EnvProblem[] =>
  problems.filter(({ variable }) => !assumed.includes(variable) && !assumed.includes(`${variable}_FILE`));

/** The values of a table, frozen, and what is wrong with them: an invalid variable has its default here. */
export interface ReadEnv<Table extends EnvTable> {
  readonly env: Env<Table>;
  readonly problems: readonly EnvProblem[];
}

/**
 * Reads a table once. Empty values count as absent.
 * @param rules conditions between variables, checked for variables that are valid by themselves
 */
export const readEnv = <Table extends EnvTable>(
  table: Table,
  source: NodeJS.ProcessEnv,
  rules: (env: Env<Table>) => readonly EnvProblem[] = () => [],
): ReadEnv<Table> => {
  const wrong: EnvProblem[] = [];
  const valueOf = (name: string, variable: Variable): unknown => {
    const read = readOne(name, variable, source);
    if ('value' in read) return read.value;
    wrong.push(read);
    // Gives the rules below a usable value.
    return variable.kind.schema.safeParse(variable.default).data;
  };
  const values = Object.entries(table).map(([name, variable]) => [name, valueOf(name, variable)]);
  const env = Object.freeze(Object.fromEntries(values)) as Env<Table>;
  return { env, problems: addProblems(wrong, rules(env)) };
};

/**
 * Reads a table as `readEnv`, and refuses what is wrong.
 * @throws RelayError `config_invalid` with one line per invalid variable: its name, its value (except for secrets) and the accepted form
 */
export const parseEnv = <Table extends EnvTable>(
  table: Table,
  source: NodeJS.ProcessEnv,
  rules?: (env: Env<Table>) => readonly EnvProblem[],
): Env<Table> => {
  const { env, problems } = readEnv(table, source, rules);
  refuseEnv(problems);
  return env;
};

const describe = (variable: Variable, isRequired: boolean): string => {
  if (variable.default !== undefined) return `default ${variable.default === '' ? '(empty)' : variable.default}`;
  if (variable.required) return 'required';
  return isRequired ? 'required by default' : 'optional';
};

/**
 * Formats the table as help text, one block per variable.
 * @param required variables that rules between them refuse to miss while no variable is set
 */
export const envHelp = (table: EnvTable, required: readonly string[] = []): string =>
  Object.entries(table)
    .map(
      ([name, variable]) =>
        `  ${name}${variable.secret ? ` (or ${name}_FILE)` : ''}\n      ${variable.description}. Takes ${variable.kind.format}; ${describe(variable, required.includes(name))}.`,
    )
    .join('\n');

/** Formats the table as Markdown rows, for documents that a test keeps in sync. */
export const envMarkdown = (table: EnvTable): string =>
  [
    '| variable | format | default | description |',
    '| --- | --- | --- | --- |',
    ...Object.entries(table).map(
      ([name, v]) =>
        `| \`${name}\`${v.secret ? ` or \`${name}_FILE\`` : ''} | ${v.kind.format} | ${v.default === undefined ? (v.required ? 'required' : '–') : `\`${v.default || ' '}\``} | ${v.description} |`,
    ),
  ].join('\n');
