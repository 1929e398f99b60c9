import { readdir } from 'node:fs/promises';
import { RelayError } from '@ranger-relay/errors';
import { plural, printable, type Shell, wholeOption } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Bundle, BundleFormat } from '../bundle/model.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { type Preset, presetNames, type SampleCounts } from '../bundle/sample/counts.ts';
import { type EdgeCase, edgeCases } from '../bundle/sample/edge-cases.ts';
import { writeSampleBundle } from '../bundle/sample/sample-bundle.ts';
import { canonicalZone } from '../bundle/time/time.ts';
import { act, type Result } from '../program/action.ts';
import { type Output, outputFlag } from '../program/flags.ts';
import { countFlags, countsOf } from './sample-counts.ts';
import { summaryLines, summaryOf } from './summary.ts';

const refuse = (path: string, why: string): RelayError =>
  new RelayError('usage', { details: { problem: `${path} ${why}; name a new folder or an empty one` } });

/** Checks that no file in a folder would be overwritten; the folder need not exist. @throws RelayError `usage` */
export const checkEmpty = async (path: string): Promise<void> => {
  const names = await readdir(path).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return [];
    throw refuse(path, code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${message})`);
  });
  if (names.length > 0) throw refuse(path, 'is not empty');
};

/** Parses a timezone that a bundle may name. @throws InvalidArgumentError */
export const zoneOption = (text: string): string => {
  if (canonicalZone(text) === null) throw new InvalidArgumentError('It takes UTC or a name like Asia/Manila.');
  return text;
};

/** Parses the code of a conservation area, a text of 1 to 8 characters. @throws InvalidArgumentError */
export const areaOption = (text: string): string => {
  if (!/^[A-Za-z0-9_-]{1,8}$/.test(text))
    throw new InvalidArgumentError('It takes 1 to 8 letters, digits, "_" or "-".');
  return text;
};

/** Adds one more edge case. @throws InvalidArgumentError */
export const edgeCaseOption = (text: string, before: readonly EdgeCase[] | undefined): readonly EdgeCase[] => {
  const found = edgeCases.find((name) => name === text);
  if (found === undefined) throw new InvalidArgumentError(`It takes one of ${edgeCases.join(', ')}.`);
  return [...(before ?? []), found];
};

interface Flags extends Partial<SampleCounts> {
  readonly contract?: true;
  readonly preset: Preset;
  readonly seed: number;
  readonly edgeCase?: readonly EdgeCase[];
  readonly area: string;
  readonly timezone: string;
  readonly format: BundleFormat;
  readonly formatVersion?: '1.0' | '1.1';
  readonly output: Output;
}

const write = async (path: string, flags: Flags): Promise<Result> => {
  const { contract, preset, seed, edgeCase, area, timezone, format, formatVersion = '1.1' } = flags;
  if (format === 'exported' && (edgeCase ?? flags.formatVersion) !== undefined)
    throw new RelayError('usage', {
      details: { problem: '--edge-case and --format-version are for the format own only; leave them out, or --format' },
    });
  const counts = countsOf(preset, flags);
  await checkEmpty(path);
  const files = await (contract
    ? writeContractSample(path, { format, formatVersion })
    : writeSampleBundle(path, {
        format,
        seed,
        preset,
        counts,
        edgeCases: edgeCase ?? [],
        timezone,
        areaId: area,
        formatVersion,
      }));
  const records = files.reduce((sum, file) => sum + file.records, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    code: 0,
    lines: [
      printable(
        `Wrote ${plural(records, 'record')} in ${plural(files.length, 'file')} (${(bytes / 1e6).toFixed(1)} MB) to ${path}`,
      ),
    ],
    json: { path, records, bytes, files },
  };
};

const notWithContract = ['preset', 'seed', 'edgeCase', 'area', 'timezone'];

const example = `
Examples:
  $ sync-tool bundle sample export
  $ sync-tool bundle sample export --preset very-large --seed 7 --edge-case crlf --edge-case reserved-keys
  $ sync-tool bundle sample export --format exported --patrols 20000`;

const options = (command: Command): Command =>
  command
    .addOption(new Option('--contract', "the small sample of the bundle's contract instead").conflicts(notWithContract))
    .addOption(
      new Option('--preset <name>', 'counts to start from').choices(presetNames).default('typical' satisfies Preset),
    )
    .addOption(
      new Option('--seed <n>', 'another seed makes another bundle, the same one the same bytes')
        .argParser(wholeOption(0, 2 ** 31 - 1))
        .default(1),
    )
    .addOption(
      new Option('--edge-case <name>', 'something odd that it holds; may be given several times')
        .choices(edgeCases)
        .argParser(edgeCaseOption),
    )
    .addOption(new Option('--area <code>', 'code of the conservation area').argParser(areaOption).default('051600'))
    .addOption(new Option('--timezone <name>', 'zone of its timestamps').argParser(zoneOption).default('Asia/Manila'))
    .addOption(
      new Option('--format <name>', 'format of the bundle: ours, or that of the exporter of the external system')
        .choices(['own', 'exported'] satisfies BundleFormat[])
        .default('own' satisfies BundleFormat),
    )
    .addOption(
      new Option(
        '--format-version <version>',
        'version of the format own, 1.1 if not given; 1.0 does not flag logins',
      ).choices(['1.0', '1.1']),
    );

/** `bundle sample`: creates a sample bundle for trying out the tool. */
export const sampleCommand = (shell: Shell): Command => {
  const command = new Command('sample')
    .description('Write a realistic bundle to try the tool on; its counts are those of the preset unless given.')
    .argument('<dir>', 'folder to make, or an empty one');
  outputFlag(countFlags(options(command))).addHelpText('after', example);
  return command.action((path: string, flags: Flags) =>
    act({ shell, command, output: flags.output }, () => write(path, flags)),
  );
};

/** Reads a bundle and shows the progress on a terminal. @throws RelayError `bundle_invalid` */
const readShown = async (shell: Shell, path: string): Promise<Bundle> => {
  const bundle = await readBundle(path, {
    onProgress({ file, bytes, totalBytes }) {
      if (shell.interactive) shell.progress(`Reading ${file}: ${Math.floor((bytes / (totalBytes || 1)) * 100)} %`);
    },
  });
  shell.progress('');
  return bundle;
};

const warningLines = ({ paint }: Shell, { warnings }: Bundle): readonly string[] =>
  warnings.map(({ text }) => paint.yellow(printable(`Warning: ${text}`)));

const show = async (shell: Shell, path: string): Promise<Result> => {
  const bundle = await readShown(shell, path);
  const summary = summaryOf(bundle);
  const warnings = warningLines(shell, bundle);
  return {
    code: 0,
    lines: [...summaryLines(summary, shell.paint), ...(warnings.length === 0 ? [] : ['', ...warnings])],
    json: summary,
  };
};

/** `bundle show`: shows the content and the languages of a bundle. */
export const showCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('show')
      .description('Show what a bundle holds, and how much of it has a label in each language.')
      .argument('<dir>', 'folder of the bundle'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool bundle show export')
    .action((path: string, { output }: { readonly output: Output }, command: Command) =>
      act({ shell, command, output }, () => show(shell, path)),
    );

const validate = async (shell: Shell, path: string): Promise<Result> => {
  const bundle = await readShown(shell, path);
  const { manifest, usage, warnings } = bundle;
  const { area, timezone, exportedAt } = manifest;
  const texts = warnings.map(({ text }) => text);
  const found = texts.length === 0 ? 'no warnings' : plural(texts.length, 'warning');
  return {
    code: 0,
    lines: [
      ...warningLines(shell, bundle),
      printable(`The bundle of ${area.name} (${area.id}) is valid: ${plural(usage.patrols, 'patrol')}, ${found}.`),
    ],
    json: { path, area, timezone, exported_at: exportedAt, patrols: usage.patrols, warnings: texts },
  };
};

/** `bundle validate`: checks a bundle in the same way as a run before its first call. */
export const validateCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('validate')
      .description('Check a bundle as a run does before it asks the site anything.')
      .argument('<dir>', 'folder of the bundle'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool bundle validate export')
    .action((path: string, { output }: { readonly output: Output }, command: Command) =>
      act({ shell, command, output }, () => validate(shell, path)),
    );

/** `bundle`: inspects bundles and creates sample bundles. */
export const bundleCommand = (shell: Shell): Command =>
  new Command('bundle')
    .addCommand(validateCommand(shell))
    .addCommand(showCommand(shell))
    .addCommand(sampleCommand(shell));
