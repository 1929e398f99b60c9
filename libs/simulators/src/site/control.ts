import { json, type SimulatedResponse, type SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { parseSwitch } from '../switches/fault.ts';
import { isObject, type Body } from './answers/fields.ts';
import { parseExact } from './exact-json.ts';
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

type Control = (parts: ControlDependencies, request: SimRequest, key: string, body: Body) => SimulatedResponse;

const bad = (error: string): SimulatedResponse => json(400, { error });

const readLog: Control = ({ log }, { query }) => {
  const since = Number(query.get('since') ?? '0') || 0;
  const limit = Number(query.get('limit') ?? '10000') || 10_000;
  const entries = log.entries().filter(({ seq }) => seq > since);
  return json(200, {
    entries: entries.slice(0, limit),
    in_flight: log.inFlight(),
    highest_in_flight: log.highestInFlight(),
  });
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

const putState: Control = ({ seed }, _request, _key, body) => {
  const problem = seedProblem(body);
  if (problem !== undefined) return bad(problem);
  seed(body);
  return json(200, {});
};

const listOf = (value: unknown): readonly never[] => (Array.isArray(value) ? (value as never[]) : []);

const arrive: Control = ({ arrivals }, _request, _key, { observations, events, after_ms, commit_ms }) => {
  arrivals.add(
    { observations: listOf(observations), events: listOf(events) },
    { afterMs: Number(after_ms ?? 0) || 0, commitMs: Number(commit_ms ?? 0) || 0 },
  );
  return json(200, {});
};

const setSwitches: Control = ({ set, store }, _request, _key, body) => {
  const changes = parseSwitches(body);
  if (typeof changes === 'string') return bad(changes);
  set(changes);
  return json(200, store.settings.switches);
};

const setFault: Control = ({ faults }, _request, _key, body) => {
  const fault = parseSwitch(body);
  return typeof fault === 'string' ? bad(fault) : json(201, { id: faults.set(fault) });
};

const putToken: Control = ({ tokens }, _request, _key, body) =>
  typeof body['token'] === 'string' ? json(200, tokens.put(body as unknown as TokenChange)) : bad('token is missing');

const permit =
  (kind: 'grant' | 'revoke'): Control =>
  ({ tokens }, _request, _key, { token, permission }) => {
    if (typeof token !== 'string' || typeof permission !== 'string') return bad('token and permission are needed');
    if (!tokens.get(token)) return json(404, { error: 'no such token' });
    tokens[kind](token, permission);
    return json(200, tokens.get(token));
  };

const done = (_result: void): SimulatedResponse => json(200, {});

const table: readonly (readonly [method: string, path: RegExp, control: Control])[] = [
  ['GET', /^log$/, readLog],
  ['DELETE', /^log$/, ({ log }) => done(log.clear())],
  ['GET', /^state$/, ({ store }) => json(200, store.dump())],
  ['PUT', /^(?:state|data)$/, putState],
  ['POST', /^arrivals$/, arrive],
  ['GET', /^switches$/, ({ store }) => json(200, store.settings.switches)],
  ['POST', /^switches$/, setSwitches],
  ['GET', /^faults$/, ({ faults }) => json(200, faults.list())],
  ['POST', /^faults$/, setFault],
  ['DELETE', /^faults(?:\/([^/]+))?$/, ({ faults }, _request, id) => done(faults.clear(id || undefined))],
  ['POST', /^tokens$/, putToken],
  ['POST', /^tokens\/grant$/, permit('grant')],
  ['POST', /^tokens\/revoke$/, permit('revoke')],
  ['POST', /^tokens\/expire$/, ({ tokens }) => done(tokens.expireAll())],
  ['DELETE', /^tokens\/([^/]+)$/, ({ tokens }, _request, token) => done(tokens.delete(token))],
  ['POST', /^down$/, ({ away }, _request, _key, { ms }) => (away(Number(ms) || 1_000), json(200, {}))],
];

const readJson = async (request: SimRequest): Promise<Body | undefined> => {
  const text = (await request.body()).toString();
  try {
    const value: unknown = text === '' ? {} : parseExact(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The control API under `/__control/`; neither faults nor the log touch it. */
export const controlHandle =
  (parts: ControlDependencies): Handle =>
  async (request) => {
    const body = await readJson(request);
    if (!body) return bad('a JSON object is expected');
    const path = request.path.slice('/__control/'.length);
    for (const [method, pattern, control] of table) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (match) return control(parts, request, decodeURIComponent(match[1] ?? ''), body);
    }
    return json(404, { error: 'no such control' });
  };
