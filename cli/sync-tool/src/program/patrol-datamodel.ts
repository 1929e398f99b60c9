import { Command } from 'commander';
import { checklistPath, folderOf } from '../run/files.ts';
import type { SyncShell } from '../run/machine.ts';
import { deactivationsFlag, forceUnlockFlag, type Output, recreateFlag, wordFlag } from './flags.ts';
import { type BundleFlags, loadBundle, type OptionFlags, type RunFlags, syncOptions, wantedOf } from './inputs.ts';
import { onSite } from './on-site.ts';
import { syncRun } from './sync.ts';

interface Flags extends BundleFlags, RunFlags, OptionFlags {
  readonly checklist?: string;
  readonly planOut?: string;
  readonly output: Output;
}

const example = `
Examples:
  $ sync-tool --dry-run patrol-datamodel --bundle export --site-endpoint site.example --site-token-file token.txt
  $ sync-tool patrol-datamodel --config sync.yaml --roster-group Rangers`;

const options = (command: Command): Command =>
  deactivationsFlag(
    command
      .option('--bundle <dir>', 'folder of the bundle (contains manifest.json); config key bundle.path')
      .option(
        '--ext-language <code>',
        'language of every text written to the site; default: the default language of the bundle',
      )
      .option(
        '--timezone <name>',
        'expected timezone of the bundle; the run stops when it differs; config key ext.timezone',
      )
      .option('--replace-segment-schema', 'overwrite the universal patrol fields instead of merging them')
      .option('--modernize-form', 'bring a form of 2025 into the format that the site accepts today')
      .option(
        '--roster-group <name>',
        'subject group that subjects join; default: the first member group of the patrol configuration',
      )
      .option('--subject-name-suffix', "put the area's code behind each subject's name")
      .option('--checklist <path>', 'path of the checklist; default: beside the folder of the bundle'),
  ).option('--plan-out <file>', 'write the plan as JSON');

/** `patrol-datamodel`: prepares a site for the import of patrols. */
export const patrolDatamodelCommand = (shell: SyncShell): Command => {
  const command = options(new Command('patrol-datamodel'));
  return onSite<Flags>(shell, forceUnlockFlag(recreateFlag(wordFlag(command))), example, async (calling) => {
    const { flags, file } = calling;
    const wanted = wantedOf(flags, file);
    const { path, word, isWordSet } = wanted;
    const { bundle, language } = await loadBundle(shell, wanted);
    const checklist = checklistPath(path, flags.checklist);
    return syncRun({
      ...calling,
      site: calling.site.withWord(word),
      bundle,
      options: syncOptions(flags, language, word),
      folder: folderOf(checklist),
      checklist,
      planOut: flags.planOut,
      isWordSet,
    });
  });
};
