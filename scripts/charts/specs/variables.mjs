import { commonEnv } from '@ranger-relay/runtime';
import { fileRef, nameOrNothing, secretRef } from '../entry.mjs';
import { formOf, kindOf, refusedOf, sampleOf } from '../env-form.mjs';
import { atEnv, mountProbe } from './probes.mjs';
import { settingVariables } from './settings.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry @typedef {import('../entry.mjs').Probe} Probe */
/** @typedef {import('@ranger-relay/runtime').EnvTable} EnvTable @typedef {EnvTable[string]} Variable */

/** Variables that the chart sets by itself, and the value that they follow. */
const own = { PORT: 'ports.http', HEALTH_PORT: 'ports.health', STOP_GRACE_S: 'terminationGracePeriodSeconds' };

/**
 * What a service's chart says about its variables beyond their table.
 * @typedef {object} VariableNotes
 * @property {Readonly<Record<string, Probe['with']>>} [beside] values that a variable's probe needs
 */

/** @param {string} name @param {Variable} variable @param {VariableNotes} notes @returns {Entry} */
const mounted = (name, variable, { beside = {} }) => ({
  ...(variable.secret ? secretRef : fileRef),
  path: `secrets.${name}`,
  about: variable.description,
  probe: mountProbe(name, beside[name]),
});

/** @param {string} name @param {Variable} variable @param {VariableNotes} notes @returns {Entry} */
const written = (name, variable, { beside = {} }) => {
  const set = sampleOf(variable);
  const refused = refusedOf(variable);
  return {
    ...formOf(variable),
    path: `config.${name}`,
    global: name in commonEnv,
    about: `${variable.description}${variable.default === undefined ? '' : ` (${variable.default || 'empty'} when not set)`}`,
    probe: { set, ...(beside[name] ? { with: beside[name] } : {}), at: atEnv(name), shows: String(set) },
    ...(refused === undefined ? {} : { refuses: { value: refused, says: name } }),
  };
};

/** A Secret whose keys are named after variables. @type {Entry} */
const common = {
  ...nameOrNothing,
  path: 'secretName',
  global: true,
  about: 'Secret whose keys are named after variables: what the service cannot do without is taken from it',
  default: '',
  probe: {
    set: 'probe',
    at: 'Deployment#spec.template.spec.volumes[name=secrets].projected.sources[0].secret.name',
  },
};

/**
 * The variables of a service that no other value stands for: secrets by reference, the rest as they are.
 * @param {EnvTable} table
 * @param {VariableNotes} [notes]
 * @returns {Entry[]}
 */
export const variableEntries = (table, notes = {}) => {
  const rest = Object.entries(table).filter(([name]) => !settingVariables.has(name) && !(name in own));
  return [
    common,
    ...rest
      .filter(([, variable]) => kindOf(variable) !== 'value')
      .map(([name, variable]) => mounted(name, variable, notes)),
    ...rest
      .filter(([, variable]) => kindOf(variable) === 'value')
      .map(([name, variable]) => written(name, variable, notes)),
  ];
};

/** Variables that are written elsewhere: path of the mistake → what to do. @param {ReadonlyMap<string, string>} places variable → path */
export const misplaced = (places) =>
  Object.fromEntries([
    ...[...places].flatMap(([name, path]) => [
      [`config.${name}`, `write it as ${path}`],
      [`secrets.${name}`, `write it as ${path}`],
    ]),
    ...Object.entries(own).map(([name, path]) => [`config.${name}`, `it follows ${path}`]),
  ]);
