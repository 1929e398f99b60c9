import { json } from '../http/answer.ts';
import { bad, commonRoutes, controlHandle, done, type Control, type ControlRoute } from '../http/control.ts';
import type { Handle } from '../http/server.ts';
import { isObject, type Body } from '../json.ts';
import type { HandleDependencies } from './handle.ts';
import type { Seed } from './seed.ts';
import { tableNames } from './state/records.ts';
import { settingNames } from './state/state.ts';
import { parseSwitches, type SiteSwitches } from './switches.ts';
import type { TokenChange } from './tokens.ts';

/** Operations of the control API besides requests. */
export interface ControlDependencies extends HandleDependencies {
  seed(seed: Seed): void;
  set(switches: Partial<SiteSwitches>): void;
  /** Refuses connections from just after this answer, for `ms` milliseconds. */
  away(ms: number): void;
}

type SiteControl = Control<ControlDependencies>;

const readLog: SiteControl = ({ log }, _body, _key, { query }) => {
  const since = Number(query.get('since') ?? '0') || 0;
  const limit = Number(query.get('limit') ?? '10000') || 10_000;
  const entries = log.entries().filter(({ seq }) => seq > since);
  return json(200, { entries: entries.slice(0, limit) });
};

const seedProblem = (seed: Body): string | undefined => {
  for (const [name, value] of Object.entries(seed)) {
    const isTable = (tableNames as readonly string[]).includes(name);
    if (!isTable && !(settingNames as readonly string[]).includes(name)) return `the state has no ${name}`;
    if (isTable && !(Array.isArray(value) && value.every(isObject))) return `${name} takes an array of objects`;
  }
  const { switches } = seed;
  if (switches === undefined) return undefined;
  const parsed = isObject(switches) ? parseSwitches(switches) : 'switches takes an object';
  return typeof parsed === 'string' ? parsed : undefined;
};

const putState: SiteControl = ({ seed }, body) => {
  const problem = seedProblem(body);
  return problem === undefined ? done(seed(body)) : bad(problem);
};

const listOf = (value: unknown): readonly never[] => (Array.isArray(value) ? (value as never[]) : []);

const arrive: SiteControl = ({ arrivals }, { observations, events, after_ms, commit_ms }) =>
  done(
    arrivals.add(
      { observations: listOf(observations), events: listOf(events) },
      { afterMs: Number(after_ms ?? 0) || 0, commitMs: Number(commit_ms ?? 0) || 0 },
    ),
  );

const setSwitches: SiteControl = ({ set, store }, body) => {
  const changes = parseSwitches(body);
  if (typeof changes === 'string') return bad(changes);
  set(changes);
  return json(200, store.settings.switches);
};

const putToken: SiteControl = ({ tokens }, body) =>
  typeof body['token'] === 'string' ? json(200, tokens.put(body as unknown as TokenChange)) : bad('token is missing');

const permit =
  (kind: 'grant' | 'revoke'): SiteControl =>
  ({ tokens }, { token, permission }) => {
    if (typeof token !== 'string' || typeof permission !== 'string') return bad('token and permission are needed');
    if (!tokens.get(token)) return json(404, { error: 'no such token' });
    tokens[kind](token, permission);
    return json(200, tokens.get(token));
  };

const routes: readonly ControlRoute<ControlDependencies>[] = [
  ...commonRoutes<ControlDependencies>('faults', ({ faults }) => faults),
  ['GET', /^log$/, readLog],
  ['DELETE', /^log$/, ({ log }) => done(log.clear())],
  ['GET', /^state$/, ({ store }) => json(200, store.dump())],
  ['PUT', /^state$/, putState],
  ['POST', /^arrivals$/, arrive],
  ['GET', /^switches$/, ({ store }) => json(200, store.settings.switches)],
  ['POST', /^switches$/, setSwitches],
  ['POST', /^tokens$/, putToken],
  ['POST', /^tokens\/grant$/, permit('grant')],
  ['POST', /^tokens\/revoke$/, permit('revoke')],
  ['POST', /^tokens\/expire$/, ({ tokens }) => done(tokens.expireAll())],
  ['DELETE', /^tokens\/([^/]+)$/, ({ tokens }, _body, token) => done(tokens.delete(token))],
];

/** The control API under `/__control/`. */
export const siteControl = (parts: ControlDependencies): Handle => controlHandle('/__control/', routes, parts);
