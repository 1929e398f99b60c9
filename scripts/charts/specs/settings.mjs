import { kafkaEnv, kvEnv, platformEnv } from '@ranger-relay/runtime';
import { certificateRef, fileRef, secretRef } from '../entry.mjs';
import { kindOf, refusedOf, sampleOf, textRules } from '../env-form.mjs';
import { atEnv, mountProbe } from './probes.mjs';
import { abouts, company, kafka, platform, redis, samples } from './setting-paths.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */
/** @typedef {import('@ranger-relay/runtime').EnvTable} EnvTable */

/**
 * Where the templates find the value of a variable, and what it takes; they refuse the rest, because they know the variable's name.
 * @typedef {{ path: string, variable: string, kind: 'value' | 'secret' | 'file', key?: 'certKey' | 'keyKey', takes?: string,
 *   pattern?: string, maxLength?: number }} Setting
 */

/** A number, a switch or a text, as it is in a values file. @param {string} stated @param {string} type */
const typed = (stated, type) => (type === 'integer' ? Number(stated) : type === 'boolean' ? stated === 'true' : stated);

/** @param {string} path @param {string} name @param {EnvTable[string]} variable @returns {Entry} */
const writtenEntry = (path, name, variable) => {
  const set = samples[name] ?? sampleOf(variable);
  const beside = company[name];
  const type = typeof set === 'number' ? 'integer' : typeof set;
  // A switch that is no switch is refused by its type, before the templates could name the variable.
  const wrong = type === 'integer' ? -1 : type === 'boolean' ? undefined : refusedOf(variable);
  return {
    path,
    global: true,
    about: `${abouts[name] ?? variable.description} (${name})`,
    schema: { type },
    takes: variable.kind.format,
    default: typed(variable.default ?? '', type),
    probe: { set, ...(beside === undefined ? {} : { with: beside }), at: atEnv(name), shows: String(set) },
    ...(wrong === undefined ? {} : { refuses: { value: wrong, says: name } }),
  };
};

/** @param {string} path @param {string} name @param {EnvTable[string]} variable @returns {Entry} */
const entryOf = (path, name, variable) => {
  if (kindOf(variable) === 'value') return writtenEntry(path, name, variable);
  const form = variable.secret ? secretRef : fileRef;
  return {
    ...form,
    path,
    global: true,
    about: `${variable.description} (${name})`,
    probe: mountProbe(name, company[name]),
  };
};

/** @type {Entry} */
const certificate = {
  ...certificateRef,
  path: 'kafka.tls.certificate',
  global: true,
  about: `${kafkaEnv.KAFKA_TLS_CERT_FILE.description} (KAFKA_TLS_CERT_FILE, KAFKA_TLS_KEY_FILE)`,
  probe: {
    ...mountProbe('KAFKA_TLS_CERT_FILE', { 'kafka.tls.enabled': true }),
    set: { name: 'probe-secret', certKey: 'probe-key' },
  },
};

/** @param {Readonly<Record<string, string>>} paths @param {EnvTable} table @returns {Entry[]} */
const entriesFor = (paths, table) =>
  Object.entries(paths).flatMap(([path, name]) => {
    const variable = table[name];
    if (variable === undefined) throw new Error(`${path} stands for ${name}, which is no variable`);
    const entry = entryOf(path, name, variable);
    return path === 'kafka.tls.ca' ? [entry, certificate] : [entry];
  });

/** Broker, store and platform as values; all of them may be global. */
export const settingEntries = [
  ...entriesFor(kafka, kafkaEnv),
  ...entriesFor(redis, kvEnv),
  ...entriesFor(platform, platformEnv),
];

/** @type {EnvTable} */
const tables = { ...kafkaEnv, ...kvEnv, ...platformEnv };

/** The same for the templates. @type {readonly Setting[]} */
export const settings = [
  ...Object.entries({ ...kafka, ...redis, ...platform }).flatMap(([path, variable]) => {
    const known = tables[variable];
    if (known === undefined) return [];
    const kind = kindOf(known);
    return [{ path, variable, kind, ...(kind === 'value' ? { takes: known.kind.format, ...textRules(known) } : {}) }];
  }),
  { path: 'kafka.tls.certificate', variable: 'KAFKA_TLS_CERT_FILE', kind: 'file', key: 'certKey' },
  { path: 'kafka.tls.certificate', variable: 'KAFKA_TLS_KEY_FILE', kind: 'file', key: 'keyKey' },
];

/** Variables that these values stand for. */
export const settingVariables = new Set(settings.map(({ variable }) => variable));
