import { flag, matching, oneOf, orNull, text, whole } from '../../entry.mjs';
import { commands, optionsOf } from './commands.mjs';

/** @typedef {import('../../entry.mjs').Entry} Entry @typedef {import('../../entry.mjs').Form} Form */
/** @typedef {import('./commands.mjs').ToolOption} ToolOption */

/**
 * Options that are not under `options`: the value that gives them, or the path that the chart fixes. What has neither is never given.
 * @type {Readonly<Record<string, { value?: string, fixed?: string, why: string }>>}
 */
export const elsewhere = {
  siteEndpoint: { value: 'site.endpoint', why: 'site.endpoint' },
  siteToken: { why: 'a token does not stand in the arguments of a pod: site.token' },
  siteTokenFile: { fixed: 'token', why: 'site.token' },
  caFile: { fixed: 'ca', why: 'site.ca' },
  config: { why: 'everything that the file may say has a value of its own' },
  bundle: { fixed: 'bundle', why: 'bundle.claim or bundle.configMap' },
  checklist: { fixed: 'checklist', why: 'output.checklist' },
  planOut: { fixed: 'plan', why: 'output.plan' },
  plan: { fixed: 'plan', why: 'output.plan' },
  dryRun: { why: 'the CronJobs whose names end in -plan' },
  summaryFile: { why: 'always the termination message of the pod' },
  version: { why: 'image.tag' },
};

/** What the chart does otherwise than the tool when nothing is said. */
const defaults = { waitForLock: true, output: 'text' };

/** Values of the right form. */
const samples = { '--timezone': 'Asia/Manila', '--approved': 'ab'.repeat(32) };

/** @param {ToolOption} option @returns {{ form: Form, value: unknown, sample: unknown, wrong: unknown }} how it is written, its default, another value, and one that the tool refuses */
const formOf = ({ option, takes, many }) => {
  if (takes === 'nothing') return { form: flag, value: false, sample: true, wrong: 'probe' };
  if (typeof takes === 'string') return { form: text(), value: '', sample: 'probe', wrong: 1 };
  if ('words' in takes) {
    const form = oneOf(...takes.words);
    if (!many) return { form, value: '', sample: takes.words.at(-1), wrong: 'probe' };
    const list = { type: 'array', uniqueItems: true, items: form.schema };
    const words = { schema: list, takes: `a list of ${takes.words.join(', ')}` };
    return { form: words, value: [], sample: [takes.words[0]], wrong: ['probe'] };
  }
  if ('min' in takes)
    return {
      form: orNull(whole(takes.min, takes.max), 'as the tool has it'),
      value: null,
      sample: takes.min,
      wrong: takes.max + 1,
    };
  const form = matching('a text of the right form, or nothing', `^$|${takes.pattern}`);
  return { form, value: '', sample: samples[/** @type {keyof typeof samples} */ (option)], wrong: '!' };
};

/** @param {ToolOption} option @param {unknown} value */
const argument = ({ option }, value) => (value === true ? option : `${option}=${[value].flat()[0]}`);

/** @param {ToolOption} option @param {string} suffix of a command that has it @returns {Entry} */
const entryOf = (option, suffix) => {
  const { form, value, sample, wrong } = formOf(option);
  const given = defaults[/** @type {keyof typeof defaults} */ (option.name)] ?? value;
  const set = given === true ? false : sample;
  const shown = argument(option, set === false ? true : set);
  return {
    ...form,
    path: `options.${option.name}`,
    about: `${option.about} (\`${option.option}\`)`,
    default: given,
    refuses: { value: wrong, says: option.name },
    probe: {
      set,
      at: `CronJob/patrol-sync${suffix}#spec.jobTemplate.spec.template.spec.containers[0].args[=${shown}]`,
      shows: set === false ? null : shown,
    },
  };
};

const used = new Map(
  commands
    .toReversed()
    .flatMap((command) =>
      optionsOf(command).map((option) => /** @type {const} */ ([option.name, { option, command }])),
    ),
);

/** Every option of the tool that has no other place, once. */
export const optionEntries = [...used.values()]
  .filter(({ option }) => !(option.name in elsewhere))
  .map(({ option, command }) => entryOf(option, command.suffix));

/** Where the templates find what a command's options are given. @param {import('./commands.mjs').SyncCommand} command */
export const factsOf = (command) =>
  optionsOf(command).flatMap(({ option, name, needed }) => {
    // A record names the plan of its run itself, and most runs have none.
    if (name === 'plan' && !needed) return [];
    const { value = `options.${name}`, fixed = '', why } = elsewhere[name] ?? {};
    if (why !== undefined && elsewhere[name]?.value === undefined && fixed === '') return [];
    return [fixed === '' ? { option, value } : { option, fixed }];
  });
