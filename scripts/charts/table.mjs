import { table } from '../docs/sections.mjs';

/** @typedef {import('./entry.mjs').Entry} Entry */

/** @param {unknown} value */
const shown = (value) => {
  const text = JSON.stringify(value);
  return text === undefined ? '–' : text.length > 40 ? 'see values.yaml' : `\`${text}\``;
};

/** Every value of a chart as a Markdown table. @param {readonly Entry[]} entries */
export const valuesTable = (entries) =>
  table(
    ['value', 'takes', 'default', 'what for'],
    entries.map(({ path, takes, default: value, about, global }) => [
      `\`${path}\`${global ? ' ᵍ' : ''}`,
      takes,
      shown(value),
      about,
    ]),
  );
