import { type Shell, wholeOption } from '@ranger-relay/terminal';
import { wordForm } from '@ranger-relay/site';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Version of the tool, from its package. */
export const version = '0.1.0';

/** The description of the tool in its help. */
export const about = {
  name: 'sync-tool',
  description: 'Prepares a ranger-tracking site for patrol import from a migration bundle, and undoes it.',
  version,
  example:
    'sync-tool --dry-run patrol-datamodel --bundle export --site-endpoint site.example --site-token-file token.txt',
  exitCodes: [
    '    3  undo has left entries as they are, and says why; rehearse has found something that blocks the import',
  ],
} as const;

interface GlobalOptions {
  readonly dryRun?: true;
  readonly summaryFile?: string;
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

const optionsOf = (command: Command): GlobalOptions => rootOf(command).opts<GlobalOptions>();

/** Whether the call must not write to the site. */
export const isDryRun = (command: Command): boolean => optionsOf(command).dryRun ?? false;

/** Path of the summary of the call; undefined when none is requested. */
export const summaryPath = (shell: Shell, command: Command): string | undefined =>
  (optionsOf(command).summaryFile ?? shell.env['SUMMARY_FILE']) || undefined;

/** The words of a command after the name of the tool; null for the tool itself. */
export const commandWords = (command: Command): string | null => {
  if (!command.parent) return null;
  const above = commandWords(command.parent);
  return above === null ? command.name() : `${above} ${command.name()}`;
};

const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const lastLabel = '[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?';
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const host = `(${octet}([.]${octet}){3}|(${label}[.])*${lastLabel})`;
const port = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
// No segment begins with a dot, because URL parsing resolves `.` and `..` before the path is checked.
const path = '/[A-Za-z0-9_~-][A-Za-z0-9._~-]*';

const forms: Readonly<Record<string, string>> = {
  '--site-endpoint': `^(https?://)?${host}(:${port})?(/|(${path})*/api(${path})*/?)?$`,
  '--approved': '^[0-9A-Fa-f]{64}$',
  '--ext-word': wordForm.source,
  '--timezone': '^([Uu][Tt][Cc]|[A-Za-z0-9_+-]+/[A-Za-z0-9_+/-]+)$',
};

/**
 * A regular expression for the value of an option: the tool certainly refuses any value that does not match. Undefined when any value may
 * be valid. The operator uses it to refuse invalid values early.
 */
export const formOf = (option: string): string | undefined => forms[option];

/** Parses a word. @throws InvalidArgumentError */
export const wordOption = (text: string): string => {
  if (wordForm.test(text) && text !== 'patrol') return text;
  throw new InvalidArgumentError(
    'It takes 1 to 16 lower-case letters and digits that begin with a letter; not "patrol".',
  );
};

/** Adds the options for connecting to the site. */
export const siteFlags = (command: Command): Command =>
  command
    .option('--site-endpoint <host>', 'host of the site, with https:// or without; config key site.endpoint')
    .option('--site-token <token>', 'API token of the site; config key site.token')
    .option(
      '--site-token-file <file>',
      'file that contains the token, which then is not in the list of processes (or SITE_TOKEN)',
    )
    .option('--ca-file <file>', 'PEM file of an authority to trust, for a site with a certificate of its own')
    .option(
      '--patience <seconds>',
      'how long to wait through an outage of the site, once it has answered',
      wholeOption(0, 86_400),
      120,
    )
    .option(
      '--config <file>',
      'configuration file (YAML): bundle.path, site.endpoint, site.token, ext.timezone, ext.timezone_variable, ext.word',
    );

/** Adds the option for the word that stands for the external system in identifiers on the site. */
export const wordFlag = (command: Command): Command =>
  command.addOption(
    new Option(
      '--ext-word <word>',
      'word that stands for the external system in identifiers on the site, as in <word>_member_id; config key ext.word; default: ext',
    ).argParser(wordOption),
  );

/** Adds the option for the number of people whom a run may make inactive. */
export const deactivationsFlag = (command: Command): Command =>
  command.option('--max-deactivations <n>', 'maximum number of subjects to deactivate', wholeOption(0, 1_000_000));

/** Adds the option for a call that finds a lock. */
export const forceUnlockFlag = (command: Command): Command =>
  command.option('--force-unlock', 'remove the lock that is there first; only where the run that holds it has ended');

/** Adds the option for subjects that the site no longer shows. */
export const recreateFlag = (command: Command): Command =>
  command.option(
    '--recreate-missing',
    'create subjects again that records list and the site does not show; not needed with the token of a superuser',
  );

/** The output formats. */
export type Output = 'text' | 'json';

/** Adds the option of the output format. */
export const outputFlag = (command: Command): Command =>
  command.addOption(new Option('--output <form>', 'format of the result').choices(['text', 'json']).default('text'));
