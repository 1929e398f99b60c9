import { closestTo } from '../closest.ts';
import type { EnvProblem, EnvTable } from './table.ts';

/** Prefixes used only by this product: a variable with such a prefix that is in no table is a mistake. */
const ownPrefixes = [
  'PLATFORM_',
  'WEBHOOK_',
  'PUSHER_',
  'INGESTER_',
  'FORWARDER_',
  'INTEGRATION_',
  'SIMULATED_',
  'KV_',
];

/** Prefixes that other software also uses: only a name close to one of our names is a mistake. */
const sharedPrefixes = ['KAFKA_', 'PUSH_', 'RUNNER_', 'FORWARD_', 'AUTH_', 'ACTION_', 'SCHEDULE', 'SITE_', 'STATUS_'];

/** Variables that Kubernetes sets in a pod for a Service with such a name. */
const serviceLink = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

const startsWithOneOf = (name: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => name.startsWith(prefix));

const isServiceLink = (name: string, value: string): boolean =>
  serviceLink.test(name) && (!name.endsWith('_PORT') || value.includes('://'));

/** All names of the tables, including the `_FILE` form of secrets. */
const namesOf = (tables: readonly EnvTable[]): ReadonlySet<string> =>
  new Set(
    tables
      .flatMap((table) => Object.entries(table))
      .flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
  );

const problem = (variable: string, meant?: string): EnvProblem => ({
  variable,
  problem: `is not a variable of ranger-relay; ${meant === undefined ? 'correct it or remove it' : `did you mean ${meant}?`}`,
});

const foreign = (known: ReadonlySet<string>, source: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(source).flatMap(([name, value = '']) =>
    value === '' || known.has(name) || isServiceLink(name, value) ? [] : [name],
  );

/** Variables similar to an unset variable of a table; without this check they would be ignored and the default used. */
export const misspeltVariables = (table: EnvTable, source: NodeJS.ProcessEnv): readonly EnvProblem[] => {
  const known = namesOf([table]);
  const ours = [...known].filter((name) => !source[name] && startsWithOneOf(name, [...ownPrefixes, ...sharedPrefixes]));
  return foreign(known, source).flatMap((name) => {
    const meant = closestTo(name, ours);
    return meant === undefined ? [] : [problem(name, meant)];
  });
};

/**
 * Finds misspelt variables, and variables with a prefix of this product that are in no table.
 * @param tables every table whose variables may be set in the same environment
 */
export const unknownVariables = (tables: readonly EnvTable[], source: NodeJS.ProcessEnv): readonly EnvProblem[] => {
  const known = namesOf(tables);
  const misspelt = misspeltVariables(Object.assign({}, ...tables) as EnvTable, source);
  const own = foreign(known, source).filter(
    (name) => startsWithOneOf(name, ownPrefixes) && !misspelt.some(({ variable }) => variable === name),
  );
  return [...misspelt, ...own.map((name) => problem(name, closestTo(name, known)))];
};
