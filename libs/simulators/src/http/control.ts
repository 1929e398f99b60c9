import { isObject, parseExact, type Body } from '../json.ts';
import type { SwitchBoard } from '../switches/fault-registry.ts';
import { parseSwitch } from '../switches/fault.ts';
import { json, type SimulatedResponse, type SimRequest } from './answer.ts';
import type { Handle } from './server.ts';

/** One call of a control API; `key` is what its path caught. */
export type Control<Parts> = (parts: Parts, body: Body, key: string, request: SimRequest) => SimulatedResponse;

/** A method on a path below the prefix. */
export type ControlRoute<Parts> = readonly [method: string, path: RegExp, control: Control<Parts>];

/** 400 with a sentence about what is wrong. */
export const bad = (error: string): SimulatedResponse => json(400, { error });

/** What changes and has nothing to say. */
export const done = (_result: void): SimulatedResponse => json(200, {});

/** What every simulator can be told: its switches under one name, and to be away for a while. */
export const commonRoutes = <Parts extends { away(ms: number): void }>(
  name: string,
  switchesOf: (parts: Parts) => SwitchBoard,
): readonly ControlRoute<Parts>[] => [
  ['GET', new RegExp(`^${name}$`), (parts) => json(200, switchesOf(parts).list())],
  [
    'POST',
    new RegExp(`^${name}$`),
    (parts, body) => {
      const change = parseSwitch(body);
      return typeof change === 'string' ? bad(change) : json(201, { id: switchesOf(parts).set(change) });
    },
  ],
  [
    'DELETE',
    new RegExp(`^${name}(?:/([^/]+))?$`),
    (parts, _body, id) => done(switchesOf(parts).clear(id || undefined)),
  ],
  ['POST', /^down$/, (parts, { ms }) => (parts.away(Number(ms) || 1_000), json(200, {}, { connection: 'close' }))],
];

const readBody = async (request: SimRequest): Promise<Body | undefined> => {
  const text = (await request.body()).toString();
  try {
    const value: unknown = text === '' ? {} : parseExact(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** A control API below a prefix; no switch and no log touches it. */
export const controlHandle =
  <Parts>(prefix: string, routes: readonly ControlRoute<Parts>[], parts: Parts): Handle =>
  async (request) => {
    const body = await readBody(request);
    if (!body) return bad('a JSON object is expected');
    const path = request.path.slice(prefix.length);
    for (const [method, pattern, control] of routes) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (match) return control(parts, body, decodeURIComponent(match[1] ?? ''), request);
    }
    return json(404, { error: 'no such control' });
  };
