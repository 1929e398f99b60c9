import { textForm } from '@ranger-relay/runtime';

/** @typedef {import('./entry.mjs').Form} Form @typedef {import('@ranger-relay/runtime').EnvTable[string]} Variable */

/** @param {Variable} variable */
const published = ({ kind }) => textForm(kind);

/**
 * What a variable takes where it is written in a values file: text as in the environment, and plain numbers and switches.
 * @param {Variable} variable
 * @returns {Form}
 */
export const formOf = (variable) => {
  const { pattern, minLength, maxLength, minimum, maximum, enum: words } = published(variable);
  const { format: takes } = variable.kind;
  if (words?.includes('true')) return { schema: { enum: [true, false, ...words] }, takes };
  if (words !== undefined) return { schema: { type: 'string', enum: words }, takes };
  const bounds = Object.entries({ pattern, minLength, maxLength, minimum, maximum });
  const type = minimum === undefined ? 'string' : ['integer', 'string'];
  return { schema: { type, ...Object.fromEntries(bounds.filter(([, bound]) => bound !== undefined)) }, takes };
};

/** Whether the value names a file. @param {Variable} variable */
export const isFile = (variable) => variable.kind.format === 'a path';

/** How a variable comes into a pod. @param {Variable} variable @returns {'secret' | 'file' | 'value'} */
export const kindOf = (variable) => (variable.secret ? 'secret' : isFile(variable) ? 'file' : 'value');

/** What the text of a variable must match, for engines that read regular expressions without look-around. @param {Variable} variable */
export const textRules = (variable) => {
  const { pattern, maxLength, enum: words } = published(variable);
  const matches = words === undefined ? pattern : `^(?:${words.join('|')})$`;
  return { ...(matches === undefined ? {} : { pattern: matches }), ...(maxLength === undefined ? {} : { maxLength }) };
};

const samples = [
  'https://collector.example/v1',
  'probe.example:7001',
  '10.9.0.0/16',
  'pull_events:*/5 * * * *',
  'probe-value',
  'probe_value',
];

/** Whether a text is taken, by what is published of the variable too. @param {Variable} variable @param {string} value */
const takes = (variable, value) =>
  variable.kind.schema.safeParse(value).success && new RegExp(published(variable).pattern ?? '').test(value);

/**
 * A value that the variable takes and that is not its default.
 * @param {Variable} variable
 * @returns {string | number | boolean}
 * @throws when none of the samples fits
 */
export const sampleOf = (variable) => {
  const { minimum, maximum, enum: words } = published(variable);
  const taken = (/** @type {unknown} */ value) => String(value) !== variable.default && takes(variable, String(value));
  if (words?.includes('true')) return variable.default !== 'true';
  const number = minimum === undefined ? [] : [Number(variable.default ?? minimum) + 1, maximum, minimum];
  const found = [...(words ?? []), ...number, ...samples].find(taken);
  if (found === undefined) throw new Error(`no sample fits a variable that takes ${variable.kind.format}`);
  return found;
};

/**
 * A value that the variable refuses, to see that the chart does too.
 * @param {Variable} variable
 * @returns {string | undefined} undefined when it takes every text
 */
export const refusedOf = (variable) =>
  ['not among them', '-1', 'x'.repeat(25_000), ''].find((value) => !takes(variable, value));
