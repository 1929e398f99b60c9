import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Random } from '../time/random.ts';
import type { TypeBook } from './types.ts';

/** A stable id in the form of a UUID for a part of an integration. */
export const idOf = (...parts: string[]): string => {
  const hex = createHash('sha1').update(parts.join(' ')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** An id as the platform compares it: both spellings of a UUID are one. */
export const uuidOf = (id: string): string =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id;

const owner = { id: idOf('owner'), name: 'Simulated owner', description: '' };

const typeJson = (slug: string, types: TypeBook): object => {
  const { name = slug, description = '', actions = [], webhook = null } = types.get(slug) ?? {};
  return { id: idOf('type', slug), name, value: slug, description, actions, webhook };
};

/** An integration as the platform's API shows it (platform contract, section 1). */
export const integrationJson = (integration: Integration, types: TypeBook): object => {
  const { id, name, base_url, enabled, type: slug, configurations, webhook_data: data } = integration;
  const type = types.get(slug);
  const actions = type?.actions ?? [];
  const actionSlugs = new Set([...actions.map(({ value }) => value), ...Object.keys(configurations)]);
  const { value, name: webhookName = value } = type?.webhook ?? { value: `${slug}_webhook` };
  const webhook = { id: idOf('webhook', slug), name: webhookName, value };
  return {
    id,
    name,
    base_url,
    enabled,
    type: typeJson(slug, types),
    owner,
    configurations: [...actionSlugs].map((action) => ({
      id: idOf('configuration', id, action),
      integration: id,
      action: { type: actions.find((each) => each.value === action)?.type ?? 'generic', value: action },
      data: configurations[action] ?? {},
    })),
    webhook_configuration:
      data === null ? null : { id: idOf('webhook configuration', id), integration: id, webhook, data },
    additional: {},
    default_route: { id: idOf('route', id), name: `${name} - Default Route` },
    status: enabled ? 'healthy' : 'disabled',
    status_details: '',
  };
};

/** Result of an api key: its integration, or a refusal of the gateway (403). */
type KeyState = 'bound' | 'refused';

/** An integration as the simulated platform keeps it. */
export interface Integration {
  readonly id: string;
  readonly name: string;
  readonly base_url: string;
  readonly enabled: boolean;
  /** Slug of its type. */
  readonly type: string;
  readonly api_key: string;
  readonly key_state: KeyState;
  /** Action slug to config data. */
  readonly configurations: Readonly<Record<string, unknown>>;
  /** Data of the webhook configuration; null: there is none. */
  readonly webhook_data: unknown;
  /** The integration exists but the caller may not see it: 404. */
  readonly hidden: boolean;
}

/** Settable members; the rest has defaults. */
export type IntegrationChange = Partial<Omit<Integration, 'id'>>;

/** The platform's integrations and their keys. */
export interface IntegrationBook {
  /** Adds one, or changes the one with that id. */
  put(change: IntegrationChange & { readonly id: string }): Integration;
  get(id: string): Integration | undefined;
  list(): readonly Integration[];
  /** Gives it a new key; the old one is refused from now on. @throws Error when there is no such integration */
  rotateKey(id: string): string;
  delete(id: string): boolean;
  /** Owner of a key, `unbound` when it was deleted; undefined for an unknown or rotated key. */
  byKey(key: string): { readonly id: string; readonly state: KeyState | 'unbound' } | undefined;
}

const read = (path: string): readonly Integration[] => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Integration[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** Opens the book; with a path, it is kept in that file and what the file says wins over later `put`s of nothing new. */
export const openIntegrations = (random: Random, path?: string): IntegrationBook => {
  const byId = new Map<string, Integration>();
  const owners = new Map<string, string>();
  const keep = (integration: Integration): void => {
    byId.set(integration.id, integration);
    owners.set(integration.api_key, integration.id);
  };
  for (const integration of path === undefined ? [] : read(path)) keep(integration);
  const save = (): void => {
    if (path === undefined) return;
    writeFileSync(`${path}.new`, JSON.stringify([...byId.values()], null, 1), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  const fresh = (id: string): Integration => ({
    id,
    name: `Integration ${id.slice(0, 8)}`,
    base_url: 'https://inbound.example',
    enabled: true,
    type: 'device_connector',
    api_key: `key-${random.uuid()}`,
    key_state: 'bound',
    configurations: {},
    webhook_data: {},
    hidden: false,
  });

  const put: IntegrationBook['put'] = (given) => {
    const change = { ...given, id: uuidOf(given.id) };
    const before = byId.get(change.id);
    const after = { ...(before ?? fresh(change.id)), ...change };
    if (before && before.api_key !== after.api_key) owners.delete(before.api_key);
    keep(after);
    save();
    return after;
  };

  return {
    put,
    get: (id) => byId.get(uuidOf(id)),
    list: () => [...byId.values()],
    rotateKey(id) {
      if (!byId.has(uuidOf(id))) throw new Error(`no integration ${id}`);
      return put({ id, api_key: `key-${random.uuid()}` }).api_key;
    },
    delete(id) {
      const gone = byId.delete(uuidOf(id));
      if (gone) save();
      return gone;
    },
    byKey(key) {
      const id = owners.get(key);
      if (id === undefined) return undefined;
      return { id, state: byId.get(id)?.key_state ?? 'unbound' };
    },
  };
};
