import { readFileSync } from 'node:fs';

/**
 * An option of the tool, as `sync-tool completion json` tells it.
 * @typedef {object} ToolOption
 * @property {string} option
 * @property {string} name
 * @property {string} about
 * @property {'nothing' | 'text' | 'path' | { words: string[] } | { min: number, max: number } | { pattern: string }} takes
 * @property {boolean} many
 * @property {boolean} needed
 */

/** @typedef {{ words: string[], options: ToolOption[] }} ToolCommand */

/** @type {readonly ToolCommand[]} */
const tool = JSON.parse(readFileSync(new URL('../../../../cli/sync-tool/options.json', import.meta.url), 'utf8'));

/**
 * A CronJob of the chart.
 * @typedef {object} SyncCommand
 * @property {string} suffix behind the name of the objects
 * @property {readonly string[]} words of the command
 * @property {string} about one line, for those who create a Job from it
 * @property {boolean} [dryRun]
 * @property {boolean} [site] whether it reaches the site
 * @property {boolean} [bundle] whether it reads the bundle
 * @property {'read' | 'write'} [output] what it does with the volume of the checklist
 * @property {'records' | 'record' | 'folder' | 'file'} [takes] what stands behind its options
 * @property {readonly string[]} [without] options that it is not given
 */

/** @type {readonly SyncCommand[]} */
export const commands = [
  {
    suffix: '',
    words: ['patrol-datamodel'],
    about: 'creates and updates on the site what the import of patrols needs',
    site: true,
    bundle: true,
    output: 'write',
    without: ['planOut'],
  },
  {
    suffix: '-plan',
    words: ['patrol-datamodel'],
    about: 'shows every write that patrol-sync would send, and writes none of them to the site',
    dryRun: true,
    site: true,
    bundle: true,
    output: 'write',
    without: ['waitForLock'],
  },
  {
    suffix: '-apply',
    words: ['apply'],
    about: 'carries out exactly the plan that the last patrol-sync-plan has made',
    site: true,
    output: 'write',
  },
  {
    suffix: '-resume',
    words: ['resume'],
    about: 'finishes the newest run, when it was broken off or failed',
    site: true,
    bundle: true,
    output: 'write',
    takes: 'record',
  },
  {
    suffix: '-verify',
    words: ['verify'],
    about: 'looks whether the site has everything, and ticks the checklist',
    site: true,
    bundle: true,
    output: 'write',
  },
  {
    suffix: '-undo',
    words: ['undo'],
    about: 'takes the newest run back',
    site: true,
    output: 'write',
    takes: 'records',
  },
  {
    suffix: '-undo-plan',
    words: ['undo'],
    about: 'shows what patrol-sync-undo would take back, and changes nothing',
    dryRun: true,
    site: true,
    output: 'read',
    takes: 'records',
    without: ['waitForLock'],
  },
  { suffix: '-doctor', words: ['doctor'], about: 'looks whether a run would work, and writes nothing', site: true },
  {
    suffix: '-show',
    words: ['files', 'print'],
    about: 'prints the checklist into the log of its Job',
    output: 'read',
    takes: 'file',
  },
  {
    suffix: '-files',
    words: ['files', 'pack'],
    about: 'prints all files of the volume into the log of its Job, as tar.gz in base64',
    output: 'read',
    takes: 'folder',
  },
];

/** The options of a command, as the tool has them. @param {SyncCommand} command @returns {readonly ToolOption[]} */
export const optionsOf = ({ words, without = [] }) => {
  const found = tool.find((command) => command.words.join(' ') === words.join(' '));
  if (found === undefined) throw new Error(`sync-tool has no command ${words.join(' ')}`);
  return found.options.filter(({ name }) => !without.includes(name));
};

/** The options that stand before a command. */
export const globalOptions = tool.find(({ words }) => words.length === 0)?.options ?? [];
