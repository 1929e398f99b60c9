import { Command, Option } from 'commander';
import { humanCount, printable, wholeOption, type Shell } from '@ranger-relay/terminal';
import {
  writeContractSample,
  edgeCases,
  type EdgeCase,
  writeSampleBundle,
  type Preset,
  type SampleCounts,
} from '../bundle/index.ts';
import { presets } from '../bundle/sample/counts.ts';
import { act, type Result } from '../program/action.ts';
import { outputFlag, type Output } from '../program/flags.ts';
import { checkEmpty } from './empty-folder.ts';
import { areaOption, edgeCaseOption, zoneOption } from './sample-options.ts';
import { countFlags, countsOf } from './sample-counts.ts';

interface Flags extends Partial<SampleCounts> {
  readonly contract?: true;
  readonly preset: Preset;
  readonly seed: number;
  readonly edgeCase?: readonly EdgeCase[];
  readonly area: string;
  readonly timezone: string;
  readonly formatVersion: '1.0' | '1.1';
  readonly output: Output;
}

const write = async (path: string, flags: Flags): Promise<Result> => {
  const { contract, preset, seed, edgeCase, area, timezone, formatVersion } = flags;
  const counts = countsOf(preset, flags);
  await checkEmpty(path);
  const files = await (contract
    ? writeContractSample(path, { formatVersion })
    : writeSampleBundle(path, {
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
        `Wrote ${humanCount(records)} records in ${files.length} files (${(bytes / 1e6).toFixed(1)} MB) to ${path}`,
      ),
    ],
    json: { path, records, bytes, files },
  };
};

const notWithContract = ['preset', 'seed', 'edgeCase', 'area', 'timezone'];

const example = `
Examples:
  $ sync-tool bundle sample export
  $ sync-tool bundle sample export --preset very-large --seed 7 --edge-case crlf --edge-case reserved-keys`;

const options = (command: Command): Command =>
  command
    .addOption(new Option('--contract', "the small sample of the bundle's contract instead").conflicts(notWithContract))
    .addOption(
      new Option('--preset <name>', 'counts to start from')
        .choices(Object.keys(presets))
        .default('typical' satisfies Preset),
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
      new Option('--format-version <version>', 'form of the bundle; 1.0 does not flag logins')
        .choices(['1.0', '1.1'])
        .default('1.1'),
    );

/** `bundle sample`: makes a bundle to try the tool on. */
export const sampleCommand = (shell: Shell): Command => {
  const command = new Command('sample')
    .description('Write a realistic bundle to try the tool on; its counts are those of the preset unless given.')
    .argument('<dir>', 'folder to make, or an empty one');
  outputFlag(countFlags(options(command))).addHelpText('after', example);
  return command.action((path: string, flags: Flags) =>
    act({ shell, command, output: flags.output }, () => write(path, flags)),
  );
};
