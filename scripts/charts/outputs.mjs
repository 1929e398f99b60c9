import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { withSection } from '../docs/sections.mjs';
import { definitionFiles } from './definitions.mjs';
import { chartFacts } from './facts.mjs';
import { valuesSchema } from './schema.mjs';
import { charts } from './specs/index.mjs';
import { valuesTable } from './table.mjs';
import { valuesYaml } from './values-yaml.mjs';

/**
 * What a chart is generated from.
 * @typedef {object} ChartSpec
 * @property {string} title of the schema
 * @property {readonly import('./entry.mjs').Entry[]} entries
 * @property {Readonly<Record<string, string>>} [hints] keys that people look for here and what to do instead
 * @property {readonly string[]} [open] keys of values that belong to charts below this one
 * @property {object} [facts] what its templates read beside
 * @property {Readonly<Record<string, object>>} [files] more files in JSON, by their paths in the chart
 */

/** @param {unknown} value */
const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

/** @param {string} path @param {string} text */
const formatted = async (path, text) => format(text, { ...(await resolveConfig(path)), filepath: path });

/** @param {string} folder @param {ChartSpec} spec @param {(file: string) => string} read */
const filesOf = (folder, { title, entries, hints = {}, open = [], facts = {}, files = {} }, read) => [
  { file: `${folder}/values.yaml`, text: valuesYaml(entries) },
  { file: `${folder}/values.schema.json`, text: json(valuesSchema(entries, { title, hints, open })) },
  { file: `${folder}/facts.json`, text: json(chartFacts(entries, hints, facts)) },
  ...Object.entries(files).map(([path, value]) => ({ file: `${folder}/${path}`, text: json(value) })),
  { file: `${folder}/README.md`, text: withSection(read(`${folder}/README.md`), 'values', valuesTable(entries)) },
];

/**
 * Every generated file of every chart, and the definitions of the operator's kinds, as they are and as they should be.
 * @param {string} root of the tree
 * @returns {Promise<{ file: string, is: string, should: string }[]>}
 */
export const chartFiles = (root) => {
  const read = (/** @type {string} */ file) =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
  const files = Object.entries(charts).flatMap(([name, spec]) => filesOf(`charts/${name}`, spec, read));
  return Promise.all(
    [...definitionFiles(), ...files].map(async ({ file, text }) => ({
      file,
      is: read(file),
      should: await formatted(join(root, file), text),
    })),
  );
};
