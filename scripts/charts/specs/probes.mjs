/** @typedef {import('../entry.mjs').Probe} Probe */

/** Where the value of a variable stands. @param {string} name */
export const atEnv = (name) => `Deployment#spec.template.spec.containers[0].env[name=${name}].value`;

/** Shows that one entry of a Secret is mounted as a variable's file. @param {string} name @param {Probe['with']} [beside] @returns {Probe} */
export const mountProbe = (name, beside) => ({
  set: { name: 'probe-secret', key: 'probe-key' },
  ...(beside === undefined ? {} : { with: beside }),
  at: 'Deployment#spec.template.spec.volumes[name=secrets].projected.sources[secret.name=probe-secret].secret',
  shows: { name: 'probe-secret', items: [{ key: 'probe-key', path: name }] },
});
