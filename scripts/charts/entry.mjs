import { patterns } from '@ranger-relay/runtime';

/** @typedef {{ [key: string]: unknown }} JsonSchema */

/**
 * How to see that a value reaches the rendering: with it, the object has `shows` at the place, and without it something else.
 * @typedef {object} Probe
 * @property {unknown} set the value that is tried
 * @property {Readonly<Record<string, unknown>>} [with] other values that it needs, by path
 * @property {string} at `Kind#path`, or `Kind/end of the name#path`; `Kind#` is whether there is one at all; see README.md
 * @property {unknown} [shows] what is then there, null for nothing; the value itself when left out
 * @property {boolean} [isPart] it is a part of the text there
 */

/**
 * One value of a chart.
 * @typedef {object} Entry
 * @property {string} path like `kafka.tls.enabled`
 * @property {JsonSchema} schema
 * @property {string} takes what it takes, in words
 * @property {string} about one line without a last full stop
 * @property {unknown} [default] undefined for a value that may be absent
 * @property {boolean} [mayGo] whether null takes it away, as where its schema takes null; elsewhere null is the default
 * @property {boolean} [global] whether it may also stand under `global`, for all charts of a release
 * @property {Probe} [probe] only missing for what changes nothing, as its line says
 * @property {{ value: unknown, says: string }} [refuses] a value that is refused with these words in the sentence
 */

/** A schema and its words. @typedef {{ schema: JsonSchema, takes: string }} Form */

/** @type {Form} */
export const flag = { schema: { type: 'boolean' }, takes: 'true or false' };

/** @param {number} min @param {number} max @returns {Form} */
export const whole = (min, max) => ({
  schema: { type: 'integer', minimum: min, maximum: max },
  takes: `a whole number from ${min} to ${max}`,
});

/** @param {Form} form @param {string} [absent] what null means @returns {Form} */
export const orNull = ({ schema, takes }, absent = 'derived') => ({
  schema: { ...schema, type: [schema.type, 'null'].flat() },
  takes: `${takes}; ${absent} when null`,
});

/** @param {...string} words @returns {Form} */
export const oneOf = (...words) => ({
  schema: { type: 'string', enum: words },
  takes: `one of ${words.map((word) => word || "''").join(', ')}`,
});

/** @param {string} takes @param {string} pattern @returns {Form} */
export const matching = (takes, pattern) => ({ schema: { type: 'string', pattern }, takes });

/** @param {number} max @returns {Form} */
export const text = (max = 253) => ({ schema: { type: 'string', maxLength: max }, takes: 'a text' });

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/** @param {Form} form @param {number} maxLength @returns {Form} */
const atMost = ({ schema, takes }, maxLength) => ({ schema: { ...schema, maxLength }, takes });

/** A name as Kubernetes takes them, or nothing. */
export const nameOrNothing = atMost(
  matching('a name of Kubernetes, or nothing', `^(?:${label}(?:\\.${label})*)?$`),
  253,
);

/** A name without dots, of a namespace or a container, or nothing. */
export const labelOrNothing = atMost(
  matching('up to 63 small letters, digits and `-`, or nothing', `^(?:${label})?$`),
  63,
);

/** The same for Services, whose names start with a letter. */
export const serviceNameOrNothing = atMost(
  matching('up to 63 small letters, digits and `-` behind a letter, or nothing', '^(?:[a-z](?:[-a-z0-9]*[a-z0-9])?)?$'),
  63,
);

/** An address of one host. */
export const hostName = atMost(matching('a host name', `^(?:\\*\\.)?${label}(?:\\.${label})+$`), 253);

/** One network, IPv4 or IPv6, as an item of a list. @type {JsonSchema} */
export const network = { type: 'string', pattern: patterns.network, description: 'a network like 10.0.0.0/8' };

/** How long: `10s`, `2m`. */
export const duration = matching('a time like 30s', '^[1-9][0-9]{0,4}(?:ms|s|m)$');

/** Memory as heap sizes can be derived from it. */
export const memory = matching('a size like 256Mi', '^[1-9][0-9]{0,6}(?:Mi|Gi|M|G)$');

/** A quantity of Kubernetes. @type {Form} */
export const quantity = {
  schema: { type: ['string', 'number'], pattern: '^[0-9]+(?:\\.[0-9]+)?(?:m|k|Ki|M|Mi|G|Gi)?$' },
  takes: 'a quantity of Kubernetes',
};

/** Texts by name, as labels and annotations. @type {Form} */
export const texts = { schema: { type: 'object', additionalProperties: { type: 'string' } }, takes: 'texts by name' };

/** Anything that the API server takes there. @param {'array' | 'object'} type @param {string} takes @returns {Form} */
export const asIn = (type, takes) => ({
  schema: type === 'array' ? { type, items: { type: 'object' } } : { type },
  takes,
});

const key = { type: 'string', pattern: '^[-._a-zA-Z0-9]{1,253}$' };
const objectName = { type: 'string', pattern: `^${label}(?:\\.${label})*$`, maxLength: 253 };

/**
 * One entry of a Secret of the cluster.
 * @type {Form}
 */
export const secretRef = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'key'],
    properties: { name: objectName, key },
  },
  takes: '`{name, key}` of a Secret',
};

/** One entry of a Secret or a ConfigMap of the cluster. @type {Form} */
export const fileRef = {
  schema: {
    ...secretRef.schema,
    properties: { name: objectName, key, kind: { type: 'string', enum: ['Secret', 'ConfigMap'] } },
  },
  takes: '`{name, key}` of a Secret; `kind: ConfigMap` for one of those',
};

/** A certificate and its key in one Secret. @type {Form} */
export const certificateRef = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: { name: objectName, certKey: key, keyKey: key },
  },
  takes: '`{name}` of a Secret with `tls.crt` and `tls.key`; `certKey`, `keyKey` for other names',
};

/** The same value, which may also stand under `global`. @param {Omit<Entry, 'global'>} entry @returns {Entry} */
export const shared = (entry) => Object.assign({ global: true }, entry);
