import { commandsTopic } from '@ranger-relay/contracts';
import type { EnvProblem } from '@ranger-relay/runtime';

type Source = Readonly<NodeJS.ProcessEnv>;
type Own = 'PUSHER' | 'RUNNER';
const owns = ['PUSHER', 'RUNNER'] as const;

/** Integration types of both services without a variable. */
type DefaultSlugs = Readonly<Record<Own, string>>;

/** Variables as `up` reads them, and those of a single service whose service is not clear. */
interface Assigned {
  readonly source: NodeJS.ProcessEnv;
  readonly problems: readonly EnvProblem[];
}

const valueOf = (source: Source, name: string): string | undefined => source[name] || undefined;

/** The service that a value of a shared variable is for: the one whose own variable has it, else the only one without an own value. */
const ownerOf = (source: Source, of: (own: Own) => string, value: string): Own | undefined => {
  const same = owns.find((own) => valueOf(source, of(own)) === value);
  const open = owns.filter((own) => valueOf(source, of(own)) === undefined);
  return same ?? (open.length === 1 ? open[0] : undefined);
};

const refusal = (variable: string, instead: string): EnvProblem => ({
  variable,
  problem: `is for one service alone, and does not show for which; \`up\` runs several and ${instead}`,
});

const typeOf = (source: Source, defaults: DefaultSlugs): Own | undefined => {
  const slug = valueOf(source, 'INTEGRATION_TYPE_SLUG') ?? '';
  const byDefault = owns.find((own) => (valueOf(source, `${own}_TYPE_SLUG`) ?? defaults[own]) === slug);
  return byDefault ?? ownerOf(source, (own) => `${own}_TYPE_SLUG`, slug);
};

const addressOf = (source: Source, own: Own | undefined): Own | undefined => {
  const url = valueOf(source, 'INTEGRATION_SERVICE_URL') ?? '';
  const found = ownerOf(source, (each) => `${each}_SERVICE_URL`, url);
  if (own === undefined || found === own) return found;
  return valueOf(source, `${own}_SERVICE_URL`) === undefined ? own : undefined;
};

/**
 * Gives the variables that one service alone reads to the service that they must mean, so that one environment serves `up`, `register` and the
 * services: the one whose own variable has the value, or the only one that they leave open.
 */
export const assignOneService = (source: Source, defaults: DefaultSlugs): Assigned => {
  const assigned: NodeJS.ProcessEnv = { ...source };
  const problems: EnvProblem[] = [];
  const isSet = (name: string): boolean => valueOf(source, name) !== undefined;

  const own = isSet('INTEGRATION_TYPE_SLUG') ? typeOf(source, defaults) : undefined;
  if (own) assigned[`${own}_TYPE_SLUG`] = source['INTEGRATION_TYPE_SLUG'];
  else if (isSet('INTEGRATION_TYPE_SLUG'))
    problems.push(refusal('INTEGRATION_TYPE_SLUG', 'takes PUSHER_TYPE_SLUG and RUNNER_TYPE_SLUG'));

  const address = isSet('INTEGRATION_SERVICE_URL') ? addressOf(source, own) : undefined;
  if (address) assigned[`${address}_SERVICE_URL`] = source['INTEGRATION_SERVICE_URL'];
  else if (isSet('INTEGRATION_SERVICE_URL'))
    problems.push(refusal('INTEGRATION_SERVICE_URL', 'takes PUSHER_SERVICE_URL and RUNNER_SERVICE_URL'));

  const topics = (own ? [own] : owns).map(
    (each) => commandsTopic(assigned[`${each}_TYPE_SLUG`] || defaults[each]).name,
  );
  if (isSet('INTEGRATION_COMMANDS_TOPIC') && !topics.includes(source['INTEGRATION_COMMANDS_TOPIC'] ?? ''))
    problems.push(
      refusal('INTEGRATION_COMMANDS_TOPIC', 'names the topic of each after its type, `<type>-actions-topic`'),
    );
  return { source: assigned, problems };
};
