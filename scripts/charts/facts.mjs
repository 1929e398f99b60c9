import { longForms } from './long-forms.mjs';

/** @typedef {import('./entry.mjs').Entry} Entry */

/** @param {Record<string, unknown>} root @param {string} path @param {unknown} value */
const put = (root, path, value) => {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) root[key] = value;
  else {
    root[key] ??= {};
    put(/** @type {Record<string, unknown>} */ (root[key]), rest.join('.'), value);
  }
};

/** Whether null says something else than a value's default. @param {Entry} entry */
const mayGo = ({ mayGo: alone, schema }) => alone || [schema.type].flat().includes('null');

/**
 * What the templates of a chart read: defaults of all values, which of them may be taken away by null, which may be global, hints for keys
 * that are written elsewhere, and forms that are no part of the schema.
 * @param {readonly Entry[]} entries
 * @param {Readonly<Record<string, string>>} hints
 * @param {object} [more] facts of the chart's own
 */
export const chartFacts = (entries, hints, more = {}) => {
  const shared = entries.filter(({ global }) => global);
  /** @type {Record<string, unknown>} */
  const defaults = {};
  const given = entries.filter(({ default: value }) => value !== undefined && value !== null);
  for (const { path, default: value } of given) put(defaults, path, value);
  const globals = [...new Set(shared.map(({ path }) => path.split('.')[0]))];
  return {
    globals,
    defaults,
    mayGo: given.filter(mayGo).map(({ path }) => path),
    hints,
    forms: longForms(entries),
    ...more,
  };
};
