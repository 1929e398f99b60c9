import { json, type SimulatedResponse } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { isObject, type Body } from '../site/answers/fields.ts';
import { parseSwitch } from '../switches/fault.ts';
import type { DataDependencies } from './handle.ts';
import { emptyData, type SiteData } from './records.ts';
import { parseDataSwitches, type DataSwitches } from './switches.ts';

/** What the control API can do beside what requests can. */
export interface DataControlDependencies extends DataDependencies {
  put(changes: Partial<SiteData>): void;
  set(switches: Partial<DataSwitches>): void;
  /** Breaks all connections and refuses new ones for so many ms. */
  away(ms: number): void;
}

type Control = (parts: DataControlDependencies, body: Body, key: string) => SimulatedResponse;

const bad = (error: string): SimulatedResponse => json(400, { error });

const putData: Control = ({ put }, body) => {
  const strange = Object.keys(body).find((name) => !Object.hasOwn(emptyData, name) || name === 'files');
  if (strange !== undefined) return bad(`the data has no ${strange}`);
  put(body as Partial<SiteData>);
  return json(200, {});
};

const listOf = (value: unknown): readonly never[] => (Array.isArray(value) ? (value as never[]) : []);

const arrive: Control = ({ arrivals }, { observations, events, after_ms, commit_ms }) => {
  arrivals.add(
    { observations: listOf(observations), events: listOf(events) },
    { afterMs: Number(after_ms ?? 0) || 0, commitMs: Number(commit_ms ?? 0) || 0 },
  );
  return json(200, {});
};

const setSwitches: Control = ({ set, switches }, body) => {
  const changes = parseDataSwitches(body);
  if (typeof changes === 'string') return bad(changes);
  set(changes);
  return json(200, switches());
};

const setFault: Control = ({ faults }, body) => {
  const fault = parseSwitch(body);
  return typeof fault === 'string' ? bad(fault) : json(201, { id: faults.set(fault) });
};

const readLog: Control = ({ log }) =>
  json(200, { entries: log.entries(), in_flight: log.inFlight(), highest_in_flight: log.highestInFlight() });

const done = (_result: void): SimulatedResponse => json(200, {});

const table: readonly (readonly [method: string, path: RegExp, control: Control])[] = [
  ['GET', /^log$/, readLog],
  ['DELETE', /^log$/, ({ log }) => done(log.clear())],
  ['PUT', /^data$/, putData],
  ['POST', /^arrivals$/, arrive],
  ['POST', /^down$/, ({ away }, { ms }) => done(away(Number(ms) || 1_000))],
  ['GET', /^switches$/, ({ switches }) => json(200, switches())],
  ['POST', /^switches$/, setSwitches],
  ['GET', /^faults$/, ({ faults }) => json(200, faults.list())],
  ['POST', /^faults$/, setFault],
  ['DELETE', /^faults(?:\/([^/]+))?$/, ({ faults }, _body, id) => done(faults.clear(id || undefined))],
  ['POST', /^tokens\/expire$/, ({ tokens }) => done(tokens.expireAll())],
];

/** The control API under `/__control/`; neither faults nor the log touch it. */
export const dataControlHandle =
  (parts: DataControlDependencies): Handle =>
  async (request) => {
    const text = (await request.body()).toString();
    let body: unknown;
    try {
      body = text === '' ? {} : JSON.parse(text);
    } catch {
      return bad('a JSON object is expected');
    }
    if (!isObject(body)) return bad('a JSON object is expected');
    const path = request.path.slice('/__control/'.length);
    for (const [method, pattern, control] of table) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (match) return control(parts, body, match[1] ?? '');
    }
    return json(404, { error: 'no such control' });
  };
